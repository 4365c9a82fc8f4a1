package io.penstock.cluster.operator;

import io.penstock.cluster.control.Orders;
import io.penstock.cluster.postgres.Connector;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Lifts stops. Needs the operator's own credential for the database.
 *
 * <p><b>Guarantee.</b> Lifts exactly the stops that are named, or none where a name is not known;
 * stops given meanwhile go on holding and are in the report. A repeat changes nothing more.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller.
 */
public final class Resume {
    private final Connector connector;
    private final LongSupplier ticker;

    /** {@code ticker}: monotonic nanoseconds of this process. */
    public Resume(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
    }

    /** Who lifts, and why. */
    public record Order(String reason, String actor) {
        public Order {
            if (reason.isBlank() || reason.length() > 1000) {
                throw new IllegalArgumentException("a reason has 1 to 1000 characters");
            }
        }
    }

    /** Lifts these. */
    public ResumeReport these(List<UUID> ids, Order order, Patience patience, Progress progress) {
        try (OrderSession session = new OrderSession(connector, ticker)) {
            return lift(ids, order, patience, new Told(session, progress));
        }
    }

    /** Lifts all that hold now: lists them, and lifts those that it listed. */
    public ResumeReport all(Order order, Patience patience, Progress progress) {
        try (OrderSession session = new OrderSession(connector, ticker)) {
            Told told = new Told(session, progress);
            List<UUID> ids;
            try {
                ids =
                        session
                                .untilKnown(ActiveStop::all, told.deadline(patience), progress)
                                .stream()
                                .map(ActiveStop::id)
                                .toList();
            } catch (OrderSession.Failed e) {
                return notRecorded(e);
            }
            if (ids.isEmpty()) {
                return new ResumeReport(
                        Result.CONFIRMED,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        "nothing was stopped");
            }
            return lift(ids, order, patience, told);
        }
    }

    private record Told(OrderSession session, Progress progress) {
        long deadline(Patience patience) {
            return session.now() + patience.atMost().toNanos();
        }
    }

    private ResumeReport lift(List<UUID> ids, Order order, Patience patience, Told told) {
        OrderSession session = told.session();
        long sent = session.now();
        long deadline = told.deadline(patience);
        Orders.Resumed resumed;
        try {
            resumed =
                    session.untilKnown(
                            c -> Orders.resume(c, ids, order.reason(), order.actor()),
                            patience.untilRecorded() ? null : deadline,
                            told.progress());
        } catch (OrderSession.Failed e) {
            return notRecorded(e);
        }
        if (!resumed.unknown().isEmpty()) {
            return unknown(resumed.unknown());
        }
        told.progress().recorded(resumed.epoch());
        StopSwitch.tell(session, resumed.epoch());
        Confirmation.Confirmed confirmed =
                new Confirmation(session, told.progress(), resumed.epoch(), sent, false)
                        .await(Math.max(deadline, session.now() + Duration.ofSeconds(1).toNanos()));
        List<ActiveStop> remaining;
        try {
            remaining = session.untilKnown(ActiveStop::all, deadline, told.progress());
        } catch (OrderSession.Failed e) {
            remaining = List.of();
        }
        return report(resumed, confirmed, remaining);
    }

    private static ResumeReport report(
            Orders.Resumed resumed, Confirmation.Confirmed confirmed, List<ActiveStop> remaining) {
        return new ResumeReport(
                confirmed.complete() ? Result.CONFIRMED : Result.NOT_CONFIRMED,
                resumed.epoch(),
                resumed.lifted(),
                List.of(),
                remaining,
                confirmed.answers(),
                "resumed; stops that still hold: " + remaining.size());
    }

    private static ResumeReport unknown(List<UUID> ids) {
        String named = ids.stream().map(UUID::toString).collect(Collectors.joining(", "));
        return new ResumeReport(
                Result.NOT_RECORDED,
                0,
                List.of(),
                ids,
                List.of(),
                List.of(),
                "no such stop: " + named + "; nothing was lifted");
    }

    private static ResumeReport notRecorded(OrderSession.Failed e) {
        return new ResumeReport(
                Result.NOT_RECORDED,
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                "not recorded: " + e.getMessage());
    }
}
