package io.penstock.budget;

/** What a budget of a priced unit does with a call that has no price. */
public enum Unpriced {
    REFUSE,
    /** The budget does not apply to it. */
    ADMIT
}
