package io.penstock.gateway.call;

import io.penstock.budget.Budget;
import io.penstock.budget.Standing;
import io.penstock.budget.Window;
import io.penstock.gateway.http.HeaderBlock;
import java.util.List;
import java.util.UUID;

/**
 * The headers that tell a client what was decided.
 *
 * <p><b>Source.</b> {@code RateLimit} and {@code RateLimit-Policy}:
 * draft-ietf-httpapi-ratelimit-headers; seconds are rounded up, so that a client never comes back
 * too early.
 */
public final class DecisionHeaders {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final String replica;

    public DecisionHeaders(String replica) {
        this.replica = replica;
    }

    /** Adds {@code Penstock-Decision}, {@code Penstock-Call} and {@code Penstock-Replica}. */
    public void add(HeaderBlock headers, String decision, UUID call) {
        headers.set("Penstock-Decision", decision);
        headers.set("Penstock-Call", call.toString());
        headers.set("Penstock-Replica", replica);
    }

    /**
     * Adds the state of the budgets that limit the call; shadow budgets limit nothing and are left
     * out.
     */
    static void addStandings(HeaderBlock headers, List<Standing> standings) {
        if (standings.isEmpty()) {
            return;
        }
        StringBuilder limit = new StringBuilder(64);
        StringBuilder policy = new StringBuilder(64);
        for (Standing standing : standings) {
            if (!standing.counter().shadow()) {
                append(limit, policy, standing);
            }
        }
        if (!limit.isEmpty()) {
            headers.set("RateLimit", limit.toString());
            headers.set("RateLimit-Policy", policy.toString());
        }
    }

    private static void append(StringBuilder limit, StringBuilder policy, Standing standing) {
        Budget budget = standing.counter().budget();
        if (!limit.isEmpty()) {
            limit.append(", ");
            policy.append(", ");
        }
        limit.append('"').append(budget.name()).append("\";r=").append(standing.remaining());
        if (standing.endsInMicros() >= 0) {
            limit.append(";t=").append(seconds(standing.endsInMicros()));
        }
        policy.append('"').append(budget.name()).append("\";q=").append(standing.counter().limit());
        long micros =
                switch (budget.window()) {
                    case Window.Fixed fixed -> fixed.micros();
                    case Window.Sliding sliding -> sliding.micros();
                    case Window.Rate rate -> rate.periodMicros();
                    case Window.Calendar calendar -> micros(calendar.span());
                    case Window.Lifetime _, Window.Session _, Window.Open _ -> 0;
                };
        if (micros > 0) {
            policy.append(";w=").append(seconds(micros));
        }
    }

    /** The usual length: a day may have 23 hours and a month 28 days. */
    private static long micros(Window.Calendar.Span span) {
        return switch (span) {
            case DAY -> 86_400 * MICROS_PER_SECOND;
            case WEEK -> 7 * 86_400 * MICROS_PER_SECOND;
            case MONTH -> 30 * 86_400 * MICROS_PER_SECOND;
        };
    }

    private static long seconds(long micros) {
        return Math.ceilDiv(Math.max(0, micros), MICROS_PER_SECOND);
    }
}
