package io.penstock.gateway.door;

/** A request that the door answers itself; its connection is closed after the answer. */
final class RequestRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final Reason reason;
    private final String detail;

    /**
     * @param detail one sentence for the caller; never repeats what the caller sent
     */
    RequestRefused(int status, Reason reason, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.reason = reason;
        this.detail = detail;
    }

    int status() {
        return status;
    }

    Reason reason() {
        return reason;
    }

    String detail() {
        return detail;
    }

    /** Why, as a metric label. */
    enum Reason {
        BAD_HEAD("bad-head"),
        BAD_FRAMING("bad-framing"),
        BAD_BODY("bad-body"),
        HEAD_TOO_LARGE("head-too-large"),
        BODY_TOO_LARGE("body-too-large"),
        NOT_SUPPORTED("not-supported"),
        TOO_SLOW("too-slow"),
        FLOOD("flood"),
        OVERLOADED("overloaded");

        private final String label;

        Reason(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }
}
