package io.penstock.cluster.admission;

import io.penstock.budget.BudgetLedger;
import io.penstock.budget.ClockedFixture;
import io.penstock.budget.Counter;
import io.penstock.budget.Standing;
import io.penstock.budget.Window;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** An empty ledger in a test's database, and one incarnation on it. */
final class PostgresFixture implements ClockedFixture {
    private final TestDatabase database;
    private final Connection owner;
    final UUID incarnation;

    PostgresFixture(TestDatabase database) {
        this.database = database;
        try {
            owner = database.connectAsOwner();
            execute("truncate penstock.counter, penstock.lane, penstock.journal, penstock.hold");
            execute("delete from penstock.duty");
            incarnation = Incarnations.register(database);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Gives the ledger's functions a clock that the test sets: the same text, with another clock in
     * it. How long a statement waited is still measured by the real one.
     */
    PostgresFixture clocked() {
        execute("create table if not exists penstock.test_clock (at timestamptz not null)");
        execute("truncate penstock.test_clock");
        execute("insert into penstock.test_clock values (now())");
        execute(
                """
                create or replace function penstock.test_now() returns timestamptz
                language sql volatile security definer as 'select at from penstock.test_clock'
                """);
        execute(
                """
                do $do$
                declare
                    f text;
                begin
                    for f in select pg_get_functiondef(p.oid) from pg_proc p
                              where p.pronamespace = 'penstock'::regnamespace
                                and p.proname in ('admit_v1', 'resolve_v1', 'settle_v1', 'sweep_holds_v1',
                                                  'sweep_counters_v1', 'standing_v1') loop
                        f := replace(f, 'pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp()', '@wait@');
                        f := replace(f, 'pg_catalog.clock_timestamp()', 'penstock.test_now()');
                        f := replace(f, '@wait@', 'pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp()');
                        execute f;
                    end loop;
                end $do$
                """);
        return this;
    }

    @Override
    public void setClock(long micros) {
        execute(
                "update penstock.test_clock set at = to_timestamp(0) + "
                        + micros
                        + " * interval '1 microsecond'");
        execute(
                "select penstock.make_partition(d::date) from (select at from penstock.test_clock)"
                        + " c, generate_series(c.at - interval '1 day', c.at + interval '1 day',"
                        + " interval '1 day') d");
    }

    @Override
    public long held(Counter counter) {
        return number(
                "select coalesce((select held from penstock.counter where key = '"
                        + counter.key()
                        + "'), 0)");
    }

    @Override
    public Standing standing(Counter counter) {
        try {
            return CounterStandings.read(owner, List.of(counter)).getFirst();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public int holds() {
        return (int) number("select count(*) from penstock.hold");
    }

    @Override
    public List<String> ended() {
        List<String> ended = new ArrayList<>();
        try (PreparedStatement s =
                        owner.prepareStatement(
                                "select concat_ws(' ', call, budget, count, outcome)"
                                        + " from penstock.journal where kind = 'settlement'");
                ResultSet rows = s.executeQuery()) {
            while (rows.next()) {
                ended.add(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return ended;
    }

    /** As another replica would, which leads. */
    int sweepHolds() {
        if (number("select count(*) from penstock.duty where duty = 'sweep'") == 0) {
            try {
                UUID leader = Incarnations.register(database);
                number(
                        "select count(*) from penstock.claim_duties_v1('test', '%s', array['sweep'])"
                                .formatted(leader));
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
        return (int)
                number(
                        "select penstock.sweep_holds_v1(d.incarnation, d.term) from penstock.duty d"
                                + " where d.duty = 'sweep'");
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
