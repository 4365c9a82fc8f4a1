package io.penstock.cluster.operator;

import io.penstock.cluster.control.Orders;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Gives a stop, and proves replica by replica that it holds.
 *
 * <p><b>Guarantee.</b> {@link Result#CONFIRMED}: the stop is recorded, and no replica starts
 * another matching call. Repeating an order with the same ids is harmless.
 *
 * <p><b>Failure.</b> While the database cannot be reached the order is tried again, until it is
 * recorded or the wait is over.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller.
 *
 * <p><b>Source.</b> Protocol page, section 4.
 */
public final class StopSwitch {
    private final Connector connector;
    private final LongSupplier ticker;

    /** {@code ticker}: monotonic nanoseconds of this process. */
    public StopSwitch(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
    }

    private record Recorded(Orders.Stopped stopped, long sentNanos) {}

    /** Gives the stop and waits for its confirmation. */
    public StopReport stop(StopOrder order, Patience patience, Progress progress) {
        try (OrderSession session = new OrderSession(connector, ticker)) {
            long began = session.now();
            long deadline = began + patience.atMost().toNanos();
            Recorded recorded;
            try {
                recorded =
                        session.untilKnown(
                                c -> record(c, order, session),
                                patience.untilRecorded() ? null : deadline,
                                progress);
            } catch (OrderSession.Failed e) {
                return notRecorded(order, Duration.ofNanos(session.now() - began), e);
            }
            Orders.Stopped stopped = recorded.stopped();
            Duration recordedAfter = Duration.ofNanos(session.now() - recorded.sentNanos());
            if (stopped.lifted()) {
                return liftedBefore(order, stopped, recordedAfter);
            }
            progress.recorded(stopped.epoch());
            tell(session, stopped.epoch());
            if (patience.untilRecorded()) {
                deadline = session.now() + patience.atMost().toNanos();
            }
            Confirmation confirmation =
                    new Confirmation(
                            session, progress, stopped.epoch(), recorded.sentNanos(), true);
            return report(order, stopped, recordedAfter, confirmation.await(deadline));
        }
    }

    private static Recorded record(Connection connection, StopOrder order, OrderSession session)
            throws SQLException {
        long sent = session.now();
        return new Recorded(Orders.stop(connection, order), sent);
    }

    /** What a stop would meet now, without giving it. */
    public DryRun dryRun(StopOrder order) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return new DryRun(order, ReplicaStatus.all(connection), ActiveStop.all(connection));
        }
    }

    /** A hint only: replicas that miss it poll. */
    static void tell(OrderSession session, long epoch) {
        try {
            Orders.tell(session.connection(), epoch);
        } catch (SQLException e) {
            session.drop();
        }
    }

    private static StopReport notRecorded(
            StopOrder order, Duration after, OrderSession.Failed failed) {
        String message =
                "not recorded: "
                        + failed.getMessage()
                        + ". If the replicas cannot reach the database either, nothing can be"
                        + " admitted now; they open again when it returns unless the stop is"
                        + " recorded (--until-recorded keeps trying)";
        return new StopReport(Result.NOT_RECORDED, order, 0, after, List.of(), message);
    }

    private static StopReport liftedBefore(
            StopOrder order, Orders.Stopped stopped, Duration after) {
        return new StopReport(
                Result.NOT_RECORDED,
                order,
                stopped.epoch(),
                after,
                List.of(),
                order.targets().size() == 1
                        ? "this stop was given and lifted before: it does not hold"
                        : "this order was given before, and at least one of its stops lifted: not"
                                + " all of it holds");
    }

    private static StopReport report(
            StopOrder order,
            Orders.Stopped stopped,
            Duration recordedAfter,
            Confirmation.Confirmed confirmed) {
        Result result = confirmed.complete() ? Result.CONFIRMED : Result.NOT_CONFIRMED;
        return new StopReport(
                result,
                order,
                stopped.epoch(),
                recordedAfter,
                confirmed.answers(),
                message(confirmed));
    }

    private static String message(Confirmation.Confirmed confirmed) {
        if (confirmed.complete()) {
            return confirmed.answers().isEmpty()
                    ? "stopped: no replica is registered"
                    : "stopped: every replica is confirmed";
        }
        long silent =
                confirmed.answers().stream()
                        .filter(a -> a.kind() == ReplicaAnswer.Kind.SILENT)
                        .count();
        if (confirmed.answers().isEmpty()) {
            return "recorded, not confirmed: the replicas could not be listed in time";
        }
        return silent > 0
                ? "recorded, not confirmed: " + silent + " replicas are silent"
                : "closed, but " + confirmed.open() + " matching calls are still open";
    }
}
