package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.testing.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * One replica does the housekeeping for all: who leads when it leaves, dies, freezes or is cut off,
 * how soon, and that whoever led before changes nothing any more.
 */
final class LeadershipIT {
    private static final String DUTIES = "2";
    private static final Pattern LEADING = Pattern.compile("event=leading duty=\\S+ term=\\S+");
    private static final long HAND_OVER_MILLIS_MAX = 1_000;

    /** A term of 15 s, and a second in which the others look. */
    private static final long TAKE_OVER_MILLIS_MAX = 16_000;

    /** What happens to the leader. */
    private enum Trouble {
        KILLED,
        FROZEN,
        CUT_OFF
    }

    @Test
    void leader_leavingInOrder_handsOverWithinASecond() {
        Trial.run("hand-over", LeadershipIT::handOver);
    }

    private static List<String> handOver() {
        try (Gate gate = Gate.prepare(s -> s.set("drain", "{ delay: 200ms, timeout: 5s }"))) {
            DutyHistory history = DutyHistory.of(gate);
            leadAndFollow(gate, Replica.of("a", gate.settings()));

            assertThat(gate.replica(0).terminate(Duration.ofSeconds(30))).hasValue(0);
            awaitLeads(gate, "b");

            long millis = history.millisHandingOver();
            System.out.println("hand-over of a leader that leaves in order: " + millis + " ms");
            assertThat(history.violations()).isEmpty();
            assertNoTermTwice(gate);
            return millis <= HAND_OVER_MILLIS_MAX
                    ? List.of()
                    : List.of("the hand-over took " + millis + " ms");
        }
    }

    @Test
    void leader_killedFrozenOrCutOff_isReplacedAfterItsTerm() {
        Trial.run("take-over", LeadershipIT::takeOver);
    }

    /** All three at once, each on a cluster of its own: most of the time is spent waiting. */
    private static List<String> takeOver() {
        List<Case> cases = new ArrayList<>();
        try {
            for (Trouble trouble : Trouble.values()) cases.add(new Case(trouble));
            cases.forEach(Case::begin);
            List<String> disturbances = new ArrayList<>();
            for (Case one : cases) disturbances.addAll(one.end());
            return disturbances;
        } finally {
            cases.forEach(Case::close);
        }
    }

    /** A cluster of two whose leader, a, gets into trouble. */
    private static final class Case implements AutoCloseable {
        private final Trouble trouble;
        private final Tap tap;
        private final Gate gate;
        private final DutyHistory history;
        private final String first;
        private String since = "";

        Case(Trouble trouble) {
            this.trouble = trouble;
            TestDatabase database = TestDatabase.fresh();
            URI url = URI.create(database.gateway().url().substring("jdbc:".length()));
            tap = Tap.to(url.getHost(), url.getPort(), Tap.State.OPEN);
            gate = Gate.on(database, settings -> settings);
            history = DutyHistory.of(gate);
            Settings through =
                    gate.settings()
                            .copy()
                            .database(Settings.through(database.gateway(), tap.port()));
            leadAndFollow(gate, Replica.of("a", through));
            first = text("select incarnation from penstock.duties limit 1");
        }

        void begin() {
            String day = "(clock_timestamp() at time zone 'UTC')::date + 3";
            String partition =
                    "penstock.journal_" + text("select to_char(" + day + ", 'YYYYMMDD')");
            DutyHistory.execute(gate, "alter table penstock.journal detach partition " + partition);
            DutyHistory.execute(gate, "drop table " + partition);
            since = text("select clock_timestamp()");
            switch (trouble) {
                case KILLED -> gate.replica(0).kill();
                case FROZEN -> gate.replica(0).program().signal("STOP");
                case CUT_OFF -> tap.turn(Tap.State.FROZEN);
            }
        }

        List<String> end() {
            awaitLeads(gate, "b");
            long millis = history.millisUntilLed(since);
            System.out.println("take-over of a leader that is " + trouble + ": " + millis + " ms");
            if (trouble == Trouble.CUT_OFF) {
                assertThat(gate.replica(0).program().output())
                        .as("gave up before another began")
                        .contains("event=leading-no-more");
            }
            gate.awaitNumber("partitions of the last day", 1, lastDay());
            gate.awaitNumber(
                    "the old life, ended",
                    1,
                    "select count(*) from penstock.replica where state = 'closed' and incarnation ="
                            + " '"
                            + first
                            + "'");
            comeBack();
            assertThat(history.violations()).isEmpty();
            assertNoTermTwice(gate);
            return millis <= TAKE_OVER_MILLIS_MAX
                    ? List.of()
                    : List.of(trouble + ": the take-over took " + millis + " ms");
        }

        private void comeBack() {
            if (trouble == Trouble.FROZEN) gate.replica(0).program().signal("CONT");
            if (trouble == Trouble.CUT_OFF) tap.turn(Tap.State.OPEN);
            if (trouble == Trouble.KILLED) return;
            gate.replica(0).program().awaitOutput("event=leading-no-more");
            gate.awaitNumber(
                    "a in a new life",
                    1,
                    "select count(*) from penstock.replica where replica = 'a' and state = 'open'"
                            + " and incarnation <> '"
                            + first
                            + "'");
            gate.replica(0).awaitAdmitting();
            assertThat(leaders(gate)).isEqualTo(List.of(List.of("b", DUTIES)));
        }

        private static String lastDay() {
            return "select count(*) from pg_inherits where inhparent = 'penstock.journal'::regclass"
                    + " and inhrelid = to_regclass('penstock.journal_' ||"
                    + " to_char((clock_timestamp() at time zone 'UTC')::date + 3, 'YYYYMMDD'))";
        }

        private String text(String sql) {
            return gate.rows(sql).getFirst().getFirst();
        }

        @Override
        public void close() {
            gate.close();
            tap.close();
        }
    }

    /** Frozen for less than it trusts its term, it goes on as if it led. */
    @Test
    void write_oldLeaderThatBelievesItLeads_hasNoEffect() {
        assertThat(afterTheOldLeadersWrite(gate -> {})).isEqualTo("open");
    }

    /** A test that cannot fail proves nothing. */
    @Test
    @EnabledIfSystemProperty(named = "penstock.full", matches = "true")
    void write_oldLeaderWhoseTermIsNotChecked_isFound() {
        assertThat(afterTheOldLeadersWrite(Breakage.TERM_NOT_CHECKED::apply)).isNotEqualTo("open");
    }

    /** What the old leader made of a dead replica's row while the new one stands still. */
    private static String afterTheOldLeadersWrite(Consumer<Gate> breakage) {
        String dead = "select state from penstock.replica where replica = 'dead'";
        try (Gate gate = Gate.prepare(settings -> settings)) {
            DutyHistory history = DutyHistory.of(gate);
            breakage.accept(gate);
            leadAndFollow(gate, Replica.of("a", gate.settings()));
            Program old = gate.replica(0).program();
            Program next = gate.replica(1).program();
            // Just renewed, it tries to work before it asks again whether it leads.
            awaitRenewal(gate);
            old.signal("STOP");
            DutyHistory.execute(
                    gate,
                    "update penstock.duty set until = clock_timestamp() where duty = 'sweep'");
            gate.awaitNumber(
                    "the duty of b",
                    1,
                    "select count(*) from penstock.duties where duty = 'sweep' and replica = 'b'");
            next.signal("STOP");
            DutyHistory.execute(gate, DEAD_REPLICA);

            old.signal("CONT");
            old.awaitOutput("event=leading-no-more duty=sweep");
            String left = gate.rows(dead).getFirst().getFirst();

            next.signal("CONT");
            Await.until("b sweeps", () -> !gate.rows(dead).getFirst().getFirst().equals("open"));
            assertThat(history.violations()).isEmpty();
            return left;
        }
    }

    private static final String DEAD_REPLICA =
            "insert into penstock.replica (replica, incarnation, state, started_at, beat_at,"
                    + " lease_ms, epoch, version, data_address, admin_address, config_hash,"
                    + " calls_per_second, degraded) select 'dead', gen_random_uuid(), 'open', t, t,"
                    + " 1000, 1, '', '', '', '', 0, false"
                    + " from (select now() - interval '1 minute' as t) as x";

    private static void awaitRenewal(Gate gate) {
        String until = "select until from penstock.duty where duty = 'sweep'";
        List<List<String>> before = gate.rows(until);
        Await.until("the leader renews", () -> !gate.rows(until).equals(before));
    }

    private static void leadAndFollow(Gate gate, Replica leader) {
        gate.add(leader).launch().awaitAdmitting();
        awaitLeads(gate, "a");
        gate.add("b").launch().awaitAdmitting();
    }

    private static void awaitLeads(Gate gate, String replica) {
        Await.until(
                replica + " leads", () -> leaders(gate).equals(List.of(List.of(replica, DUTIES))));
    }

    private static List<List<String>> leaders(Gate gate) {
        return gate.rows("select replica, count(*) from penstock.duties group by 1 order by 1");
    }

    /** By what the replicas themselves say. */
    private static void assertNoTermTwice(Gate gate) {
        assertThat(
                        gate.replicas().stream()
                                .flatMap(r -> LEADING.matcher(r.program().output()).results())
                                .map(MatchResult::group))
                .doesNotHaveDuplicates()
                .hasSizeGreaterThanOrEqualTo(4);
    }
}
