package io.penstock.cluster.operator;

import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.store.RevisionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Makes and lists revisions of the cluster-wide configuration.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller.
 */
public final class Revisions {
    /** Longest listing. */
    public static final int LISTED_MAX = 1000;

    private final Connector connector;
    private final LongSupplier ticker;

    /** {@code ticker}: monotonic nanoseconds of this process. */
    public Revisions(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
    }

    /** The one that holds; none before the first replica's start. */
    public Optional<RevisionStore.Revision> current() throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return RevisionStore.current(connection);
        }
    }

    public Optional<RevisionStore.Revision> find(long number) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return RevisionStore.find(connection, number);
        }
    }

    /** The newest ones, newest first. */
    public List<RevisionStore.Revision> list(int most) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return RevisionStore.list(connection, Math.min(most, LISTED_MAX));
        }
    }

    /** Who makes a revision, and why. */
    public record Order(String reason, String actor) {}

    /** Makes these rules the next revision if {@code expected} is still the current one. */
    public RevisionStore.Applied apply(long expected, Rules rules, Order order)
            throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return RevisionStore.apply(connection, expected, rules, order.reason(), order.actor());
        }
    }

    /** Waits until every replica judges by that epoch, or has no lease. */
    public ChangeReport await(long epoch, Patience patience, Progress progress) {
        try (OrderSession session = new OrderSession(connector, ticker)) {
            return ChangeReport.await(session, epoch, session.now(), patience, progress);
        } catch (OrderSession.Failed e) {
            return new ChangeReport(
                    Result.NOT_CONFIRMED, epoch, List.of(), String.valueOf(e.getMessage()));
        }
    }
}
