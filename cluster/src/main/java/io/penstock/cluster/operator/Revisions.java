package io.penstock.cluster.operator;

import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.PostgresException;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.store.RevisionStore;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Makes and lists revisions of the cluster-wide configuration.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller.
 */
public final class Revisions {
    private static final System.Logger LOG = System.getLogger(Revisions.class.getName());

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

    /** Makes the rules of an earlier revision the next one, if {@code expected} is current. */
    public RevisionStore.Applied rollback(long expected, long to, Order order) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return RevisionStore.rollback(
                    connection,
                    expected,
                    to,
                    order.reason().isEmpty() ? null : order.reason(),
                    order.actor());
        }
    }

    /** What {@link #keep} changed. */
    public record Kept(long revision, List<String> differences) {
        public Kept {
            differences = List.copyOf(differences);
        }
    }

    /**
     * Makes a file's rules the next revision if the database never had them; a file that equals an
     * earlier revision changes nothing.
     *
     * @param file the file's rules, after the current ones
     * @return empty where nothing was changed
     * @throws PostgresException where the database cannot be used, or another changes it meanwhile
     */
    public Optional<Kept> keep(UnaryOperator<Rules> file, Order order) {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            Optional<RevisionStore.Revision> current = RevisionStore.current(connection);
            if (current.isEmpty()) {
                return Optional.empty();
            }
            Rules rules = file.apply(current.get().rules());
            if (!(RevisionStore.adopt(connection, rules, order.actor())
                    instanceof RevisionStore.Adoption.Foreign foreign)) {
                return Optional.empty();
            }
            if (RevisionStore.apply(
                            connection,
                            current.get().number(),
                            rules,
                            order.reason(),
                            order.actor())
                    instanceof RevisionStore.Applied.Made made) {
                return Optional.of(new Kept(made.revision(), foreign.differences()));
            }
            throw new PostgresException("the rules were changed by another meanwhile: try again");
        } catch (SQLException e) {
            throw new PostgresException("the rules cannot be read: " + e.getMessage(), e);
        }
    }

    /** The servers of the current revision; empty where there is none or it cannot be read now. */
    public Optional<Set<String>> serversIfReadable() {
        try {
            return current().map(revision -> revision.rules().servers().keySet());
        } catch (SQLException | PostgresException e) {
            LOG.log(Level.DEBUG, "event=revision-unreadable reason=\"{0}\"", e.getMessage());
            return Optional.empty();
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
