package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BatchBuilder;
import io.penstock.budget.Batches;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Charge;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Intent;
import io.penstock.budget.Price;
import io.penstock.budget.Settlement;
import io.penstock.budget.Unit;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * What single transactions of the ledger cost, one after the other on one connection: a batch that
 * is admitted with holds beside the settlement of the same calls, and a batch in which no call is
 * like another.
 *
 * <p>Usage: {@code LedgerCosts [rounds]}. Prints JSON; the median of all rounds after the first
 * third, in microseconds.
 */
final class LedgerCosts {
    private static final int CALLS = 64;
    private static final int DISTINCT = 512;

    private final TestDatabase database;
    private final PostgresLedger ledger;
    private final IntentlessLedger intentless;
    private final Random random = new Random(1);
    private final long epoch;
    private final int rounds;
    private long seq;

    private LedgerCosts(TestDatabase database, PostgresLedger ledger, long epoch, int rounds) {
        this.database = database;
        this.ledger = ledger;
        intentless = new IntentlessLedger(ledger);
        this.epoch = epoch;
        this.rounds = rounds;
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length == 0 ? 3_000 : Integer.parseInt(args[0]);
        try (TestDatabase database = TestDatabase.fresh()) {
            UUID incarnation = Incarnations.register(database);
            long epoch;
            try (Connection c = database.connectAsSuperuser();
                    Statement s = c.createStatement();
                    ResultSet row = s.executeQuery("select epoch from penstock.control")) {
                row.next();
                epoch = row.getLong(1);
            }
            try (PostgresLedger ledger =
                    PostgresLedger.open(
                            new Connector(database.gateway()).open(Purpose.LANE), incarnation, 0)) {
                new LedgerCosts(database, ledger, epoch, rounds).run();
            }
        }
        System.exit(0);
    }

    private void run() throws SQLException {
        long[] plain = new long[rounds];
        long[] admitted = new long[rounds];
        long[] settled = new long[rounds];
        Claim three = claim(new Charge(counter("plain"), 1));
        Counter tokens = counter("tokens");
        Price price = price();
        Claim holding = claim(new Charge(tokens, 100, Charge.Kind.METERED, price));
        long[] one = new long[rounds];
        long[] hot = new long[rounds];
        Claim shared = new Claim(List.of(new Charge(counter("hot"), 1)));
        for (int i = 0; i < rounds; i++) {
            one[i] = timed(ledger, batch(three, 1, new ArrayList<>()));
            hot[i] = timed(intentless, batch(shared, Batch.CALLS_MAX, new ArrayList<>()));
            plain[i] = admit(three, new ArrayList<>());
            List<UUID> calls = new ArrayList<>();
            admitted[i] = admit(holding, calls);
            settled[i] = settle(tokens, calls);
        }
        long[] least = oneRow();
        long[] distinct = new long[Math.max(30, rounds / 30)];
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < DISTINCT; i++) {
            claims.add(
                    new Claim(
                            List.of(
                                    new Charge(counter("own" + i), 1),
                                    new Charge(counter("shared"), 1))));
        }
        for (int i = 0; i < distinct.length; i++) {
            distinct[i] = admitDistinct(claims);
        }
        System.out.printf(
                """
                {"benchmark": "ledger-costs", "rounds": %d, "oneRowMicros": %d, "admitOneMicros": %d, \
                "hotCalls": %d, "admitHotMicros": %d, "calls": %d, "admitPlainMicros": %d, \
                "admitHoldingMicros": %d, "settleMicros": %d, "distinctGroups": %d, \
                "distinctMicros": %d, "holdsLeft": %d}
                """,
                rounds,
                median(least),
                median(one),
                Batch.CALLS_MAX,
                median(hot),
                CALLS,
                median(plain),
                median(admitted),
                median(settled),
                DISTINCT,
                median(distinct),
                holdsLeft());
    }

    /** Three counters beside the given charge, of which all calls are. */
    private static Claim claim(Charge charge) {
        return new Claim(
                List.of(
                        new Charge(counter("everybody"), 1),
                        new Charge(counter("tenant"), 1),
                        charge));
    }

    private static Counter counter(String name) {
        return Batches.counter(name, 1L << 52);
    }

    private static Price price() {
        return new Price(
                null,
                null,
                Unit.TOKENS,
                new Price.Measured(100, new Price.ResultPointer("/usage/tokens"), 1));
    }

    private long admit(Claim claim, List<UUID> calls) {
        return timed(ledger, batch(claim, CALLS, calls));
    }

    private Batch batch(Claim claim, int count, List<UUID> calls) {
        BatchBuilder builder = new BatchBuilder();
        for (int i = 0; i < count; i++) {
            UUID call = new UUID(random.nextLong(), random.nextLong());
            calls.add(call);
            builder.add(claim, new Intent(call, Batches.subject("a"), "tools/call"), 60_000);
        }
        return builder.build(++seq, epoch, 5_000);
    }

    private long admitDistinct(List<Claim> claims) {
        BatchBuilder builder = new BatchBuilder();
        for (Claim claim : claims) {
            builder.add(
                    claim,
                    new Intent(UUID.randomUUID(), Batches.subject("a"), "tools/call"),
                    60_000);
        }
        return timed(ledger, builder.build(++seq, epoch, 5_000));
    }

    private static long timed(LaneLedger ledger, Batch batch) {
        long began = System.nanoTime();
        BudgetLedger.Answer answer = ledger.admit(batch);
        long took = System.nanoTime() - began;
        Batches.decided(answer);
        return took;
    }

    private long settle(Counter counter, List<UUID> calls) {
        List<Settlement.Settled> holds = new ArrayList<>();
        for (UUID call : calls) {
            holds.add(new Settlement.Settled(call, counter, 60, Settlement.Fate.SETTLED));
        }
        Settlement settlement = new Settlement(++seq, 5_000, List.of(), List.of(), holds);
        long began = System.nanoTime();
        BudgetLedger.Return answer = ledger.settle(settlement);
        long took = System.nanoTime() - began;
        if (!(answer instanceof BudgetLedger.Returned)) {
            throw new IllegalStateException("settled: " + answer);
        }
        return took;
    }

    /** The least that anything durable takes: one row, changed and committed. */
    private long[] oneRow() throws SQLException {
        long[] took = new long[rounds];
        try (Connection c = database.connectAsSuperuser();
                PreparedStatement change =
                        c.prepareStatement("update penstock.lane set at_us = at_us + 1")) {
            for (int i = 0; i < rounds; i++) {
                long began = System.nanoTime();
                change.execute();
                took[i] = System.nanoTime() - began;
            }
        }
        return took;
    }

    private long holdsLeft() throws SQLException {
        try (Connection c = database.connectAsSuperuser();
                Statement s = c.createStatement();
                ResultSet row = s.executeQuery("select count(*) from penstock.hold")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static long median(long[] nanos) {
        long[] late = Arrays.copyOfRange(nanos, nanos.length / 3, nanos.length);
        Arrays.sort(late);
        return late[late.length / 2] / 1_000;
    }
}
