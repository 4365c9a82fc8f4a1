package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Replicas come and go under load, and no agent notices. */
final class DrainIT {

    @Test
    void sigterm_underLoad_failsNoCallAndEndsWithZero() {
        Trial.run("drain under load", DrainIT::trial);
    }

    private static List<String> trial() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            OpenLoop.warmUp(gate.upstream());
            var enough = new AtomicBoolean();
            Load load =
                    Load.start(
                            () ->
                                    new OpenLoop(gate.port(), DrainIT::request)
                                            .run(100, Duration.ofSeconds(60), enough::get));
            Await.until("the load runs", () -> gate.upstream().count() > 50);

            Replica leaving = gate.replica(0);
            int status = leaving.terminate(Duration.ofSeconds(30)).orElseThrow();
            leaving.launch().awaitAdmitting();
            int back = gate.upstream().count();
            Await.until("the load goes on", () -> gate.upstream().count() > back + 200);
            enough.set(true);
            OpenLoop.Outcome outcome = load.outcome();

            assertThat(status).isZero();
            assertThat(outcome.failures()).isEmpty();
            assertThat(outcome.sent())
                    .filteredOn(call -> !call.undecided())
                    .extracting(OpenLoop.Sent::decision)
                    .containsOnly("admitted");
            assertThat(gate.upstream().arrivals())
                    .extracting(arrival -> arrival.call().toString())
                    .containsExactlyInAnyOrderElementsOf(
                            outcome.sent().stream()
                                    .filter(call -> !call.undecided())
                                    .map(OpenLoop.Sent::call)
                                    .toList());
            return Trial.undecided(outcome.sent());
        }
    }

    /** One call in eight takes 300 ms, so that some are always under way. */
    private static byte[] request(int i) {
        return Requests.toolCall(Settings.KEY, "tools", i % 8 == 0 ? "slow" : "echo", i);
    }

    @Test
    void sigterm_streamThatNeverEnds_isCutAtTheDrainTimeout() throws Exception {
        try (Gate gate =
                        Gate.start(
                                1,
                                settings ->
                                        settings.set("drain", "{ delay: 200ms, timeout: 1s }"));
                Wire stream = Wire.open(gate.replica(0).port())) {
            stream.send(Requests.toolCall(Settings.KEY, "tools", "endless", 1));
            assertThat(stream.head().status()).isEqualTo(200);

            assertThat(gate.replica(0).terminate(Duration.ofSeconds(30))).hasValue(0);

            assertThat(gate.rows("select outcome from penstock.journal where kind = 'outcome'"))
                    .hasSize(1);
            assertThat(gate.number("select count(*) from penstock.status")).isZero();
        }
    }

    @Test
    void revokedKey_isRefusedByEveryReplica() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            String made =
                    gate.operate(
                            "keys", "new", "--tenant", "acme", "--agent", "temporary", "--json");
            String key = Fixture.parse(made.strip()).path("key").asText();
            String id = Fixture.parse(made.strip()).path("id").asText();
            for (Replica replica : gate.replicas()) {
                Await.until("the key works", () -> decision(replica, key).equals("admitted"));
            }

            gate.operate("keys", "revoke", id);

            for (Replica replica : gate.replicas()) {
                Await.until(
                        "the key is dead", () -> decision(replica, key).equals("unauthenticated"));
                assertThat(decision(replica, Settings.KEY)).isEqualTo("admitted");
            }
        }
    }

    private static String decision(Replica replica, String key) {
        return Gate.call(replica.port(), Requests.toolCall(key, "tools", "echo", 1)).decision();
    }

    @Test
    void keyOfNobody_isTurnedAwayByStatus() {
        try (Gate gate = Gate.start(1, settings -> settings)) {
            for (byte[] request :
                    List.of(
                            Requests.toolCall("wrong", "tools", "echo", 1),
                            Requests.http("wrong", "GET", "/http/api/users/1", ""))) {
                Wire.Answer answer = gate.call(request);
                assertThat(answer.status()).isEqualTo(401);
                assertThat(answer.header("WWW-Authenticate")).isPresent();
                assertThat(answer.decision()).isEqualTo("unauthenticated");
            }
            assertThat(gate.upstream().count()).isZero();
        }
    }
}
