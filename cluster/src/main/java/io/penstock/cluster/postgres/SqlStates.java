package io.penstock.cluster.postgres;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What an SQL error says of the statement that met it: the one place where SQLSTATE is read.
 *
 * <p><b>Source.</b> Postgres manual, appendix A; protocol page, section 1 (only a lost connection,
 * a timeout or a warning on a commit leaves the outcome open).
 */
public final class SqlStates {
    /** The outcome of a commit is not known. */
    public static final String OUTCOME_UNKNOWN = "08007";

    /** What can be said after an error. */
    public enum Failure {
        /** It may have been applied: the connection or the answer was lost. */
        UNKNOWN,
        /** Not applied, and no connection was made. */
        UNREACHABLE,
        /** Not applied; the same again may succeed: serialization, deadlock, lock not in time. */
        RETRY,
        /** Not applied: the server is a standby or the transaction read-only. */
        READ_ONLY,
        /** Not applied: the role has no right to it. */
        DENIED,
        /** Not applied: such a row is there already. */
        DUPLICATE,
        /** Not applied: a table, function or schema is not there. */
        MISSING,
        /** Not applied: anything else. */
        REFUSED
    }

    private SqlStates() {}

    /** Classes an error; an error without a state comes from a broken connection. */
    public static Failure classify(SQLException e) {
        return classify(e.getSQLState());
    }

    static Failure classify(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return Failure.UNKNOWN;
        }
        return switch (state) {
            case "08001", "08004", "57P03", "53300", "28000", "28P01", "3D000" ->
                    Failure.UNREACHABLE;
            case "57P01", "57P02", "57P04", "57P05", "25P03", "25P04" -> Failure.UNKNOWN;
            case "40001", "40P01", "55P03" -> Failure.RETRY;
            case "25006" -> Failure.READ_ONLY;
            case "42501" -> Failure.DENIED;
            case "23505", "42710", "42P07", "42P06" -> Failure.DUPLICATE;
            case "42P01", "42883", "3F000", "42703" -> Failure.MISSING;
            default -> state.startsWith("08") ? Failure.UNKNOWN : Failure.REFUSED;
        };
    }

    /** Whether the connection that met this error can be used again. */
    public static boolean connectionUsable(SQLException e) {
        Failure failure = classify(e);
        return failure != Failure.UNKNOWN && failure != Failure.UNREACHABLE;
    }
}
