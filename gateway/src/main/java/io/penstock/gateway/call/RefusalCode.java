package io.penstock.gateway.call;

/**
 * Why a call is not let through; fixes its HTTP status, JSON-RPC code, metric label and journal
 * text.
 */
public enum RefusalCode {
    UNAUTHENTICATED("unauthenticated", 401, -33001),
    UNKNOWN_TARGET("unknown-target", 404, -33002),
    STOPPED("stopped", 503, -33003),
    CONTROL_STALE("control-stale", 503, -33004),
    BLOCKED("blocked", 403, -33005),
    BUDGET_EXHAUSTED("budget-exhausted", 429, -33008),
    CONCURRENCY_EXHAUSTED("concurrency-exhausted", 429, -33009),
    BUDGET_HELD("budget-held", 429, -33014),
    UNPRICED("unpriced", 403, -33010),
    LEDGER_UNAVAILABLE("ledger-unavailable", 503, -33011),
    OVERLOADED("overloaded", 503, -33012),
    UPSTREAM_UNAVAILABLE("upstream-unavailable", 502, -33013);

    private final String label;
    private final int status;
    private final int rpcCode;

    RefusalCode(String label, int status, int rpcCode) {
        this.label = label;
        this.status = status;
        this.rpcCode = rpcCode;
    }

    /** The word that stands in headers, bodies, metrics and the journal. */
    public String label() {
        return label;
    }

    public int status() {
        return status;
    }

    public int rpcCode() {
        return rpcCode;
    }
}
