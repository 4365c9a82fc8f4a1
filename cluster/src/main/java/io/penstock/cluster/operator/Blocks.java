package io.penstock.cluster.operator;

import io.penstock.cluster.control.Orders;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Blocks an agent for a while, and ends a block before its time.
 *
 * <p><b>Guarantee.</b> When a method returns, the change is recorded and the epoch was raised for
 * it, so every replica with a lease judges by it within the lease. A block that already lasts
 * longer is not shortened.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller: the epoch is raised for blocks at
 * most every 50 ms.
 */
public final class Blocks {
    private static final String BLOCK =
            "select penstock.block_v1(?, ?, ?, ?, pg_catalog.make_interval(secs => ?))";
    private static final String UNBLOCK = "select penstock.unblock_v1(?, ?, ?, ?)";
    private static final String RAISE = "select epoch, wait_ms from penstock.raise_blocks_v1()";
    private static final String ALL =
            "select tenant, agent, reason, actor, given_at, expires_at from penstock.blocks"
                    + " order by tenant, agent limit ?";

    /** Longest listing. */
    public static final int LISTED_MAX = 10_000;

    private final Connector connector;

    public Blocks(Connector connector) {
        this.connector = connector;
    }

    /** Whom an order is about. */
    public record Agent(String tenant, String agent) {}

    /** Who gives it, and why. */
    public record Order(String reason, String actor) {}

    /** Blocks. Returns when the block ends, by the database's clock. */
    public Instant block(Agent agent, Duration length, Order order) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            Instant expires;
            try (PreparedStatement s = connection.prepareStatement(BLOCK)) {
                name(s, agent, order);
                s.setDouble(5, length.toMillis() / 1000.0);
                try (ResultSet r = s.executeQuery()) {
                    r.next();
                    expires = r.getObject(1, OffsetDateTime.class).toInstant();
                }
            }
            publish(connection);
            return expires;
        }
    }

    /** Ends a block. Returns whether there was one. */
    public boolean unblock(Agent agent, Order order) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            boolean ended;
            try (PreparedStatement s = connection.prepareStatement(UNBLOCK)) {
                name(s, agent, order);
                try (ResultSet r = s.executeQuery()) {
                    r.next();
                    ended = r.getBoolean(1);
                }
            }
            publish(connection);
            return ended;
        }
    }

    /** What holds now, the first {@value #LISTED_MAX}. */
    public List<ActiveBlock> list() throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return all(connection);
        }
    }

    static List<ActiveBlock> all(Connection connection) throws SQLException {
        List<ActiveBlock> blocks = new ArrayList<>();
        try (PreparedStatement s = connection.prepareStatement(ALL)) {
            s.setInt(1, LISTED_MAX);
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    blocks.add(
                            new ActiveBlock(
                                    r.getString(1),
                                    r.getString(2),
                                    r.getString(3),
                                    r.getString(4),
                                    r.getObject(5, OffsetDateTime.class).toInstant(),
                                    r.getObject(6, OffsetDateTime.class).toInstant()));
                }
            }
        }
        return blocks;
    }

    private static void name(PreparedStatement s, Agent agent, Order order) throws SQLException {
        s.setString(1, agent.tenant());
        s.setString(2, agent.agent());
        s.setString(3, order.reason());
        s.setString(4, order.actor());
    }

    private static void publish(Connection connection) throws SQLException {
        while (true) {
            long epoch;
            int waitMillis;
            try (PreparedStatement s = connection.prepareStatement(RAISE);
                    ResultSet r = s.executeQuery()) {
                r.next();
                epoch = r.getLong(1);
                waitMillis = r.getInt(2);
            }
            if (waitMillis == 0) {
                Orders.tell(connection, epoch);
                return;
            }
            LockSupport.parkNanos(Duration.ofMillis(waitMillis).toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new SQLException("interrupted before the block was told to the replicas");
            }
        }
    }
}
