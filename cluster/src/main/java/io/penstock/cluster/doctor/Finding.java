package io.penstock.cluster.doctor;

/**
 * One thing that was looked at.
 *
 * @param check a stable word for scripts
 * @param what what was found
 * @param why what depends on it
 * @param action what to do; empty where nothing has to be done
 */
public record Finding(Severity severity, String check, String what, String why, String action) {

    /** How bad it is. */
    public enum Severity {
        /** As it has to be. */
        GOOD,
        /** Works, with less than is promised or for how long is open. */
        WARNING,
        /** A guarantee does not hold, or a replica would not run. */
        ERROR
    }

    static Finding good(String check, String what, String why) {
        return new Finding(Severity.GOOD, check, what, why, "");
    }

    static Finding warning(String check, String what, String why, String action) {
        return new Finding(Severity.WARNING, check, what, why, action);
    }

    static Finding error(String check, String what, String why, String action) {
        return new Finding(Severity.ERROR, check, what, why, action);
    }
}
