package io.penstock.budget;

/** What governance does on a server or a budget. */
public enum Mode {
    /** Not there: nothing is decided and nothing is recorded. */
    OFF,
    /** Decides and records, changes nothing. */
    SHADOW,
    /** As {@link #SHADOW}, and tells the caller; of budgets only. */
    WARN,
    /** Decides, records and refuses. */
    ENFORCE
}
