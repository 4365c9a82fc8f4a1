package io.penstock.budget;

/** How much a call holds of a budget while its price is not known. */
public enum Reserve {
    /** The most it may cost: never over the limit. */
    MAX,
    /**
     * What 19 of 20 calls cost of late: in one window at most the sum over the calls in flight of
     * (most it may cost - what it held) over the limit.
     */
    ADAPTIVE
}
