package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Two replicas become the next version under load, in the steps of {@code
 * docs/operating/upgrading.md}: no call fails, none is counted twice.
 *
 * <p>With {@code -Dpenstock.old=DIR}, a built checkout of an older version, that one runs beside
 * the present one ({@code docs/internals/upgrade-test.sh}). Without it the present version is the
 * old one: the schema gets a migration that it does not know.
 */
final class UpgradeIT {
    private static final Distribution OLD = Distribution.old();
    private static final boolean TWO_VERSIONS = !OLD.equals(Distribution.PRESENT);
    private static final List<Integer> RATES = List.of(1_000, 500, 250, 100);
    private static final int RATE_MAX = Depth.of("penstock.rate", 250, 1_000);
    private static final double QUIET_P99_MILLIS = 50;
    private static final Duration SIDE_BY_SIDE = Duration.ofSeconds(2);

    /** Falls with each trial that the machine disturbed. */
    private int slower;

    @Test
    void rollingUpgrade_underLoad_failsNoCallAndCountsNoneTwice() {
        Trial.run("rolling upgrade", this::trial);
    }

    private List<String> trial() {
        // Makes the server's logins, which the first database with a schema does.
        TestDatabase.fresh().close();
        try (Gate gate =
                Gate.on(
                        TestDatabase.empty(),
                        settings ->
                                settings.set(
                                        "budgets",
                                        "\n"
                                                + "  - { name: all, limit: 10000000, window:"
                                                + " lifetime }"))) {
            System.out.print("old: " + gate.migrate(OLD));
            for (String name : List.of("a", "b")) gate.add(name).launchFrom(OLD);
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();
            OpenLoop.warmUp(gate.upstream());
            int rate = RATES.get(Math.min(quietRate(gate) + slower++, RATES.size() - 1));
            gate.upstream().forget();
            long usedBefore = used(gate);
            long clock = ExactnessIT.databaseMicrosAtNanoZero(gate);

            OpenLoop.Outcome outcome = underLoad(gate, rate, () -> upgrade(gate));

            System.out.println("rolling upgrade at " + rate + "/s: " + outcome.line("admitted"));
            ExactnessJudge.Verdict verdict =
                    ExactnessJudge.judge(
                            Integer.MAX_VALUE, 0, ExactnessIT.history(gate, outcome, clock));
            assertThat(outcome.failures()).isEmpty();
            assertThat(verdict.violations()).isEmpty();
            if (verdict.disturbances().isEmpty()) {
                assertThat(used(gate) - usedBefore).isEqualTo(gate.upstream().count());
            }
            if (!TWO_VERSIONS) assertTwoAheadIsRefused(gate);
            return verdict.disturbances();
        }
    }

    /** The highest rate, as its place in the list, that the machine answers quickly. */
    private static int quietRate(Gate gate) {
        for (int i = 0; i < RATES.size() - 1; i++) {
            if (RATES.get(i) > RATE_MAX) continue;
            OpenLoop.Outcome outcome =
                    new OpenLoop(gate.port(), UpgradeIT::quick)
                            .run(RATES.get(i), Duration.ofSeconds(2));
            boolean all = outcome.count("admitted") == outcome.sent().size();
            var admitted = outcome.micros().get("admitted");
            if (all
                    && admitted != null
                    && OpenLoop.Outcome.millis(admitted, 99) < QUIET_P99_MILLIS) {
                return i;
            }
        }
        return RATES.size() - 1;
    }

    private static OpenLoop.Outcome underLoad(Gate gate, int rate, Runnable course) {
        var enough = new AtomicBoolean();
        Load load =
                Load.start(
                        () ->
                                new OpenLoop(gate.port(), UpgradeIT::request)
                                        .run(rate, Duration.ofMinutes(5), enough::get));
        try {
            Await.until("the load runs", () -> gate.upstream().count() > rate / 2);
            course.run();
        } finally {
            enough.set(true);
        }
        return load.outcome();
    }

    private static void upgrade(Gate gate) {
        migrate(gate);
        if (TWO_VERSIONS) {
            // One of the old version that starts again meanwhile finds the new schema.
            replace(gate, gate.replica(1), OLD);
        }
        replace(gate, gate.replica(0), Distribution.PRESENT);
        if (TWO_VERSIONS) assertBothVersionsServe(gate);
        replace(gate, gate.replica(1), Distribution.PRESENT);
        awaitServing(gate);
    }

    private static void migrate(Gate gate) {
        System.out.print("new: " + gate.migrate(Distribution.PRESENT));
        if (!TWO_VERSIONS) {
            nextSchema(gate).migrate(gate.database().owner(), 1);
            assertThat(version(gate)).isEqualTo(Migrations.LATEST + 1);
        }
        System.out.println("schema under load: " + version(gate));
    }

    /** SIGTERM, wait for its end, start the version, wait for {@code /health/ready}. */
    private static void replace(Gate gate, Replica replica, Distribution version) {
        assertThat(replica.terminate(Duration.ofSeconds(60))).hasValue(0);
        replica.launchFrom(version).awaitReady();
        awaitServing(gate);
    }

    /** Both replicas admit calls that come through HAProxy. */
    private static void awaitServing(Gate gate) {
        String admitting =
                "select count(distinct j.incarnation) from penstock.journal j"
                        + " join penstock.replica r using (incarnation)"
                        + " where j.kind = 'intent' and r.state = 'open'";
        gate.awaitNumber("replicas that admit", 2, admitting);
    }

    private static void assertBothVersionsServe(Gate gate) {
        Await.pause(SIDE_BY_SIDE);
        String each =
                "select r.replica, count(*) from penstock.journal j"
                        + " join penstock.replica r using (incarnation) where j.kind = 'intent'"
                        + " and r.state = 'open' group by 1 order by 1";
        List<List<String>> rows = gate.rows(each);
        System.out.println("side by side, calls of each: " + rows);
        assertThat(rows).hasSize(2);
    }

    private static void assertTwoAheadIsRefused(Gate gate) {
        nextSchema(gate).migrate(gate.database().owner(), 2);
        Replica late = gate.add("c").launch();
        Await.until(
                "the reason names both versions",
                () -> {
                    String reason = late.admit().toString();
                    return reason.contains("version " + (Migrations.LATEST + 2) + ",")
                            && reason.contains("knows " + Migrations.LATEST);
                });
        assertThat(gate.replica(0).program().alive()).isTrue();
        late.awaitHealth("/health/ready", 503);
    }

    /** Of this trial's own. */
    private static NextSchema nextSchema(Gate gate) {
        return new NextSchema(Program.FOLDER.resolve("schema-of-" + gate.database().name()));
    }

    private static long version(Gate gate) {
        return gate.number("select version from penstock.schema_version");
    }

    private static long used(Gate gate) {
        return gate.number("select coalesce(sum(used), 0) from penstock.budget_usage");
    }

    /** What is answered at once, so that its latency tells of the machine. */
    private static byte[] quick(int i) {
        return Requests.toolCall(Settings.KEY, "tools", "echo", i);
    }

    /** Both doors; one call in eight takes 300 ms, so that some are always under way. */
    private static byte[] request(int i) {
        if (i % 8 == 0) return Requests.toolCall(Settings.KEY, "tools", "slow", i);
        return i % 2 == 0
                ? Requests.toolCall(Settings.KEY, "tools", "echo", i)
                : Requests.http(Settings.OTHER_KEY, "GET", "/http/api/users/" + i, "");
    }
}
