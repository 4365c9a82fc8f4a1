package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Wrong clocks: a replica's decide nothing, and the database's may step back without a unit being
 * given twice.
 */
@EnabledIf("available")
final class ClocksIT {
    private static final int LIMIT = 100;
    private static final int PER_SECOND = 500;
    private static final int BACK = 3;

    @TempDir Path folder;

    static boolean available() {
        return FakeClock.available() && DebianPostgres15.available();
    }

    /** Postgres may run as another user. */
    @BeforeEach
    void everybodyMayEnter() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Settings budgets(Settings settings) {
        return settings.set("budgets", Settings.budgets(List.of("all " + LIMIT + " 1s")));
    }

    private static byte[] request(int i) {
        return Requests.toolCall(Settings.KEY, "tools", "echo", i);
    }

    /** That a busy machine leaves calls undecided is not what this is about. */
    @Test
    void replicaClockAMinuteOffAndStepping_budgetsStayExactAndStopsAreConfirmed() {
        FakeClock clock = FakeClock.in(folder);
        clock.offset(-60);
        try (Gate gate = Gate.prepare(ClocksIT::budgets)) {
            gate.add("a").launch();
            gate.add("b").launchWith(clock.environment());
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();
            Thread steps =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Await.pause(Duration.ofSeconds(4));
                                        clock.offset(60);
                                    });

            ExactnessIT.Course course = ExactnessIT.overload(gate, 6);

            Await.until("the clock was stepped", () -> !steps.isAlive());
            assertThat(course.outcome().failures()).isEmpty();
            assertThat(course.verdict().violations()).isEmpty();
            assertThat(course.verdict().arrived().values()).contains(LIMIT);
            String report = gate.operate("stop", "--all", "--reason", "drill");
            assertThat(StopIT.acked(report)).containsExactly("a", "b");
        }
    }

    @Test
    void databaseClockStepsBack_noWindowIsGivenTwice() {
        FakeClock clock = FakeClock.in(folder);
        try (EmbeddedPostgres postgres =
                        EmbeddedPostgres.start(
                                EmbeddedOptions.temporary(),
                                clock.programs(Path.of("/usr/lib/postgresql/15/bin")));
                Gate gate = Gate.on(new TestServer(postgres.owner()).fresh(), ClocksIT::budgets)) {
            gate.add("a").launch();
            gate.add("b").launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();
            var enough = new AtomicBoolean();
            Load load =
                    Load.start(
                            () ->
                                    new OpenLoop(gate.port(), ClocksIT::request)
                                            .run(PER_SECOND, Duration.ofMinutes(2), enough::get));
            Await.until("windows were used up", () -> gate.upstream().count() >= 2 * LIMIT);

            clock.offset(-BACK);
            long stepped = System.nanoTime();
            Await.until(
                    "the database's time comes to where it was, and on",
                    () -> System.nanoTime() - stepped > (BACK + 6) * 1_000_000_000L);
            enough.set(true);
            load.outcome();

            long during = arrivals(gate, stepped, 0, BACK * 1_000);
            long after = arrivals(gate, stepped, (BACK + 1) * 1_000, (BACK + 5) * 1_000);
            System.out.printf(
                    "database clock back by %d s: %d calls until it was there again, %d in the 4 s"
                            + " that began a second later%n",
                    BACK, during, after);
            assertThat(during).as("what was left of the window").isLessThanOrEqualTo(LIMIT);
            assertThat(after).as("service is back").isGreaterThan(2 * LIMIT);
            assertThat(after).isLessThanOrEqualTo(5 * LIMIT);
        }
    }

    private static long arrivals(Gate gate, long zero, long fromMillis, long toMillis) {
        return gate.upstream().arrivals().stream()
                .mapToLong(arrival -> (arrival.atNanos() - zero) / 1_000_000)
                .filter(millis -> millis >= fromMillis && millis < toMillis)
                .count();
    }
}
