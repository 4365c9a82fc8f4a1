package io.penstock.gateway.call;

import org.jspecify.annotations.Nullable;

/**
 * A call that is not let through, with what the caller may know about it.
 *
 * @param message one sentence for a person
 * @param scope the stop's or budget's scope in words, where one applies
 * @param limit units per window, where a budget refused
 * @param retryAfterMillis when to try again, or -1 where that is not known
 * @param terminal trying the same call again can never work
 * @param hint one sentence that a model can act on
 */
public record Refusal(
        RefusalCode code,
        String message,
        @Nullable String scope,
        @Nullable String budget,
        long limit,
        long remaining,
        long retryAfterMillis,
        boolean terminal,
        String hint) {

    /** A refusal that no budget made. */
    public static Refusal of(
            RefusalCode code,
            String message,
            long retryAfterMillis,
            boolean terminal,
            String hint) {
        return new Refusal(code, message, null, null, -1, -1, retryAfterMillis, terminal, hint);
    }
}
