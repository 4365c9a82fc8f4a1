package io.penstock.gateway.call;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Dimension;
import io.penstock.budget.Standing;
import io.penstock.budget.Subject;
import io.penstock.budget.Window;
import io.penstock.cluster.admission.Verdict;
import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.Stop;
import java.util.StringJoiner;

/** The words of every refusal, in one place, so that each code always says the same. */
public final class Refusals {
    private static final long SOON_MILLIS = 1_000;

    private Refusals() {}

    /** What a judgement that is not clear tells the caller. */
    static Refusal of(Judgement judgement) {
        return switch (judgement) {
            case Judgement.Stopped stopped -> stopped(stopped.stop());
            case Judgement.Blocked blocked -> blocked(blocked);
            case Judgement.Stale _ -> controlStale();
            case Judgement.Clear _ ->
                    throw new IllegalStateException("a clear judgement refuses nothing");
        };
    }

    public static Refusal unauthenticated(String why) {
        return Refusal.of(
                RefusalCode.UNAUTHENTICATED,
                why,
                -1,
                true,
                "Send a valid API key; do not repeat the call without one.");
    }

    public static Refusal unknownTarget(String server) {
        return Refusal.of(
                RefusalCode.UNKNOWN_TARGET,
                "there is no server named " + server,
                -1,
                true,
                "Use the name of a configured server; this one does not exist.");
    }

    public static Refusal upstreamUnavailable(String what) {
        return Refusal.of(
                RefusalCode.UPSTREAM_UNAVAILABLE,
                "the tool's server " + what,
                SOON_MILLIS,
                false,
                "The tool is not reachable right now; try again later or do without it.");
    }

    static Refusal ledgerUnavailable() {
        return Refusal.of(
                RefusalCode.LEDGER_UNAVAILABLE,
                "the budgets could not be checked in time, so the call was not let through",
                SOON_MILLIS,
                false,
                "Nothing was charged; try again in a moment.");
    }

    static Refusal overloaded(String why) {
        return Refusal.of(
                RefusalCode.OVERLOADED,
                why,
                SOON_MILLIS,
                false,
                "The gateway has too much to do right now; try again in a moment, with fewer calls"
                        + " at once.");
    }

    /** What a budget that has too little left tells the caller. */
    static Refusal exhausted(Verdict.Exhausted verdict, Subject subject) {
        Standing standing = verdict.exhausted();
        if (verdict.concurrency()) {
            return tooManyAtOnce(standing, subject);
        }
        if (never(standing)) {
            return budget(
                    RefusalCode.BUDGET_EXHAUSTED,
                    "allows "
                            + BudgetText.limit(standing.counter())
                            + ", and this call asks for more",
                    standing,
                    subject,
                    -1,
                    "This budget can never admit this call; do not repeat it.");
        }
        long retry = BudgetText.retryAfterMillis(standing);
        String when = retry < 0 ? "" : "; units come back in " + retry + " ms";
        if (verdict.onlyHeld()) {
            return budget(
                    RefusalCode.BUDGET_HELD,
                    "has nothing left right now, but calls under way hold units that may come back",
                    standing,
                    subject,
                    retry < 0 ? SOON_MILLIS : Math.min(retry, SOON_MILLIS),
                    "Try again in a moment: calls that are under way may give units back.");
        }
        return budget(
                RefusalCode.BUDGET_EXHAUSTED,
                BudgetText.limit(standing.counter()) + " are used up" + when,
                standing,
                subject,
                retry,
                retry < 0
                        ? "Do not repeat the call: this budget does not fill again by itself."
                        : "Wait %d ms before you call again.".formatted(retry));
    }

    private static Refusal tooManyAtOnce(Standing standing, Subject subject) {
        long limit = standing.counter().limit();
        return budget(
                RefusalCode.CONCURRENCY_EXHAUSTED,
                "allows " + limit + " calls at once, and as many are under way",
                standing,
                subject,
                limit == 0 ? -1 : SOON_MILLIS,
                limit == 0
                        ? "This budget allows no call at all; do not repeat it."
                        : "Wait until one of your calls has ended before you call again.");
    }

    /** Whether the call asks for more than an empty counter has. */
    private static boolean never(Standing standing) {
        long most =
                standing.counter().budget().window() instanceof Window.Rate rate
                        ? standing.counter().limit() == 0 ? 0 : rate.burst()
                        : standing.counter().limit();
        return standing.withheld() > most;
    }

    private static Refusal budget(
            RefusalCode code,
            String what,
            Standing standing,
            Subject subject,
            long retryAfterMillis,
            String hint) {
        Budget budget = standing.counter().budget();
        return new Refusal(
                code,
                "budget " + budget.name() + ": " + what,
                scope(budget, subject),
                budget.name(),
                standing.counter().limit(),
                standing.remaining(),
                retryAfterMillis,
                retryAfterMillis < 0,
                hint);
    }

    /** What a call is told whose answer is longer than the bytes it holds. */
    static Refusal overHold(Charge charge, Subject subject) {
        Budget budget = charge.counter().budget();
        return new Refusal(
                RefusalCode.BUDGET_EXHAUSTED,
                "the answer is longer than the %d bytes that one call may use of budget %s"
                        .formatted(charge.amount(), budget.name()),
                scope(budget, subject),
                budget.name(),
                charge.counter().limit(),
                -1,
                -1,
                true,
                "Ask for less: a smaller range, fewer items, or a summary.");
    }

    static Refusal unpriced(Budget budget, Subject subject) {
        return new Refusal(
                RefusalCode.UNPRICED,
                "budget %s applies, and nothing says what this call costs".formatted(budget.name()),
                scope(budget, subject),
                budget.name(),
                budget.limit(),
                -1,
                -1,
                true,
                "Do not repeat the call; an operator has to give it a price.");
    }

    private static Refusal controlStale() {
        return Refusal.of(
                RefusalCode.CONTROL_STALE,
                "this replica cannot confirm that it may let calls through, so it lets none"
                        + " through",
                SOON_MILLIS,
                false,
                "Try again in a moment; another replica may answer.");
    }

    private static Refusal stopped(Stop stop) {
        String why = stop.showReason() ? ": " + stop.reason() : "";
        return new Refusal(
                RefusalCode.STOPPED,
                "an operator has stopped these calls" + why,
                scope(stop.scope()),
                null,
                -1,
                -1,
                -1,
                false,
                "Do not repeat the call until a person has lifted the stop.");
    }

    private static Refusal blocked(Judgement.Blocked blocked) {
        return Refusal.of(
                RefusalCode.BLOCKED,
                "this agent is blocked for a time",
                -1,
                false,
                "Stop calling; a person can lift the block. Reason: " + blocked.block().reason());
    }

    private static String scope(Scope scope) {
        return switch (scope) {
            case Scope.All _ -> "all";
            case Scope.Tenant tenant -> "tenant=" + tenant.tenant();
            case Scope.Agent agent -> "agent=" + agent.tenant() + "/" + agent.agent();
            case Scope.Server server -> "server=" + server.server();
            case Scope.Tool tool -> "tool=" + tool.server() + "/" + tool.tool();
            case Scope.Unknown _ -> "all";
        };
    }

    private static String scope(Budget budget, Subject subject) {
        if (budget.per().isEmpty()) {
            return "global";
        }
        StringJoiner joined = new StringJoiner(" ");
        for (Dimension dimension : Dimension.values()) {
            if (budget.per().contains(dimension)) {
                joined.add(
                        dimension.name().toLowerCase(java.util.Locale.ROOT)
                                + "="
                                + value(dimension, subject));
            }
        }
        return joined.toString();
    }

    private static String value(Dimension dimension, Subject subject) {
        return switch (dimension) {
            case TENANT -> subject.tenant();
            case AGENT -> subject.agent();
            case SERVER -> subject.server();
            case TOOL -> subject.tool();
            case SESSION -> subject.session() == null ? "none" : "yours";
        };
    }
}
