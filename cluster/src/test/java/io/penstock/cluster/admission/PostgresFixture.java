package io.penstock.cluster.admission;

import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Counter;
import io.penstock.budget.LedgerFixture;
import io.penstock.budget.Window;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;

/** An empty ledger in a test's database, and one incarnation on it. */
final class PostgresFixture implements LedgerFixture {
    private final TestDatabase database;
    private final Connection owner;
    final UUID incarnation;

    PostgresFixture(TestDatabase database) {
        this.database = database;
        try {
            owner = database.connectAsOwner();
            execute("truncate penstock.counter, penstock.lane, penstock.journal, penstock.hold");
            incarnation = Incarnations.register(database);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    LaneOpener opener() {
        Connector connector = new Connector(database.gateway());
        return new PostgresLaneOpener(
                () -> connector.open(Purpose.LANE), connection -> {}, incarnation);
    }

    @Override
    public BudgetLedger lane(int number) {
        return lane(incarnation, number);
    }

    BudgetLedger lane(UUID life, int number) {
        try {
            return PostgresLedger.open(connect(), life, number);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** A connection with a lane's rights and limits. */
    Connection connect() throws SQLException {
        return new Connector(database.gateway()).open(Purpose.LANE);
    }

    @Override
    public long epoch() {
        return number("select epoch from penstock.control");
    }

    @Override
    public void raiseEpoch() {
        execute("update penstock.control set epoch = epoch + 1");
    }

    @Override
    public void fence() {
        number("select penstock.fence_lanes_v1('" + incarnation + "')");
    }

    @Override
    public long used(Counter counter) {
        try (PreparedStatement s =
                owner.prepareStatement("select used from penstock.counter where key = ?")) {
            s.setString(1, counter.key());
            try (ResultSet row = s.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void plant(Counter counter, long index, long used) {
        try (PreparedStatement s =
                owner.prepareStatement(
                        """
                        insert into penstock.counter (key, kind, idx, used, lim, ends_us, at)
                        values (?, 0, ?, ?, ?, ?, now())
                        on conflict (key) do update set idx = excluded.idx, used = excluded.used
                        """)) {
            s.setString(1, counter.key());
            s.setLong(2, index);
            s.setLong(3, used);
            s.setLong(4, counter.budget().limit());
            s.setLong(5, (index + 1) * ((Window.Fixed) counter.budget().window()).micros());
            s.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Set<UUID> intents() {
        return calls("select call from penstock.journal where kind = 'intent'");
    }

    @Override
    public Set<UUID> unsent() {
        return calls(
                """
                select call from penstock.journal
                 where kind = 'outcome' and outcome = 'not-sent' and admitted_at is not null
                """);
    }

    @Override
    public void awaitNewWindow(Window.Fixed window) {
        long before = window.index(databaseMicros());
        while (window.index(databaseMicros()) == before) {
            Thread.onSpinWait();
        }
    }

    private long databaseMicros() {
        return number("select (extract(epoch from clock_timestamp()) * 1000000)::bigint");
    }

    private Set<UUID> calls(String sql) {
        Set<UUID> calls = new LinkedHashSet<>();
        try (PreparedStatement s = owner.prepareStatement(sql);
                ResultSet rows = s.executeQuery()) {
            while (rows.next()) {
                if (!calls.add(rows.getObject(1, UUID.class))) {
                    throw new AssertionError("journaled twice: " + rows.getObject(1));
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return calls;
    }

    long number(String sql) {
        try (PreparedStatement s = owner.prepareStatement(sql);
                ResultSet row = s.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    void execute(String sql) {
        try (PreparedStatement s = owner.prepareStatement(sql)) {
            s.execute();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        try {
            owner.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
