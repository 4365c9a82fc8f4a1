package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Upstreams with bad manners: each call ends with a clear answer, is settled, and harms no other.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class UpstreamTroubleIT {
    private static final String UNAVAILABLE = "upstream-unavailable";

    private Gate gate;

    @BeforeAll
    void start() {
        gate = Gate.start(1, UpstreamTroubleIT::impatient);
    }

    @AfterAll
    void stop() {
        if (gate != null) gate.close();
    }

    private static Settings impatient(Settings settings) {
        int port =
                Integer.parseInt(settings.yaml().replaceAll("(?s).*127.0.0.1:(\\d+)/mcp.*", "$1"));
        return settings.set(
                "servers",
                """

                - { name: tools, url: "http://127.0.0.1:%1$d/mcp", timeout: 1s, idle-timeout: 1s }
                - { name: api, http: "http://127.0.0.1:%1$d/base", timeout: 1s, idle-timeout: 1s }
                - { name: absent, url: "http://127.0.0.1:1/mcp", connect-timeout: 500ms }\
                """
                        .formatted(port));
    }

    /**
     * One upstream's behaviour and what the agent must get.
     *
     * @param calls how many requests may reach the upstream
     */
    private record Case(Trick trick, Consumer<Wire.Answer> mcp, Consumer<Wire.Answer> http) {}

    private static List<Case> cases() {
        Consumer<Wire.Answer> rpcRefusal =
                answer -> {
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.decision()).isEqualTo(UNAVAILABLE);
                    assertThat(answer.json().path("id").asInt()).isEqualTo(5);
                    assertThat(answer.json().path("error").path("code").asInt()).isEqualTo(-33013);
                    assertThat(answer.text()).doesNotContain("127.0.0.1");
                };
        Consumer<Wire.Answer> badGateway =
                answer -> {
                    assertThat(answer.status()).isEqualTo(502);
                    assertThat(answer.decision()).isEqualTo(UNAVAILABLE);
                    assertThat(answer.header("Content-Type").orElse(""))
                            .startsWith("application/problem+json");
                    assertThat(answer.text()).doesNotContain("127.0.0.1");
                };
        Consumer<Wire.Answer> redirect =
                answer -> {
                    assertThat(answer.text()).doesNotContain("secret");
                    assertThat(answer.status()).isNotEqualTo(200).isNotEqualTo(201);
                };
        return List.of(
                new Case(Trick.GARBAGE, rpcRefusal, badGateway),
                new Case(Trick.STALL, rpcRefusal, badGateway),
                new Case(Trick.CLOSE, rpcRefusal, badGateway),
                new Case(Trick.REDIRECT, redirect.andThen(a -> {}), redirect),
                new Case(Trick.ERROR, status(500), status(500)),
                new Case(
                        Trick.BIG,
                        answer -> {
                            assertThat(answer.status()).isEqualTo(200);
                            assertThat(answer.body().length).isGreaterThan(5_000_000);
                            assertThat(answer.text()).endsWith("\"}]}}\n\n");
                        },
                        answer -> assertThat(answer.body().length).isGreaterThan(5_000_000)),
                new Case(Trick.DRIP, containing("\"ok\""), containing("\"ok\"")),
                new Case(
                        Trick.HALF,
                        answer -> assertThat(answer.text()).contains("\"id\":5").contains("-33013"),
                        answer -> assertThat(answer.text()).doesNotContain("-33013")));
    }

    private static Consumer<Wire.Answer> status(int status) {
        return answer -> assertThat(answer.status()).isEqualTo(status);
    }

    private static Consumer<Wire.Answer> containing(String text) {
        return answer -> {
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).contains(text);
        };
    }

    @TestFactory
    List<DynamicTest> call_upstreamMisbehaves_endsClearly() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Case each : cases()) {
            String tool = each.trick().tool();
            byte[] mcp = Requests.toolCall(Settings.KEY, "tools", tool, 5);
            tests.add(DynamicTest.dynamicTest("mcp " + tool, () -> judge(mcp, each.mcp())));
            if (each.trick() == Trick.HALF) continue;
            byte[] http = Requests.http(Settings.KEY, "GET", "/http/api/" + tool, "");
            tests.add(DynamicTest.dynamicTest("http " + tool, () -> judge(http, each.http())));
        }
        return tests;
    }

    private void judge(byte[] request, Consumer<Wire.Answer> expected) {
        int before = gate.upstream().count();
        long settled = outcomes();

        Wire.Answer answer = gate.call(request);

        expected.accept(answer);
        assertThat(gate.upstream().count()).as("sent exactly once").isEqualTo(before + 1);
        Await.until("the call is settled", () -> outcomes() == settled + 1);
        assertThat(gate.call(Requests.toolCall(Settings.KEY, "tools", "echo", 6)).text())
                .contains("\"ok\"");
        Await.until("the next call is settled", () -> outcomes() == settled + 2);
    }

    private long outcomes() {
        return gate.number("select count(*) from penstock.journal where kind = 'outcome'");
    }

    @Test
    void call_upstreamNotThere_isRefused() {
        Wire.Answer answer = gate.call(Requests.toolCall(Settings.KEY, "absent", "echo", 5));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.decision()).isEqualTo(UNAVAILABLE);
        assertThat(answer.json().path("error").path("code").asInt()).isEqualTo(-33013);
    }

    @Test
    void client_goneMidStream_upstreamIsClosedAndTheCallSettled() throws IOException {
        long settled = outcomes();
        try (Wire stream = Wire.open(gate.replica(0).port())) {
            stream.send(Requests.toolCall(Settings.KEY, "tools", "endless", 5));
            assertThat(stream.head().status()).isEqualTo(200);
            assertThat(new String(stream.chunk(), StandardCharsets.UTF_8)).contains("progress");
        }

        Await.until("the call is settled", () -> outcomes() == settled + 1);
        assertThat(
                        gate.rows(
                                "select outcome from penstock.journal where kind = 'outcome'"
                                        + " order by at desc limit 1"))
                .containsExactly(List.of("client-gone"));
    }

    /** RFC 9110, section 8.6: what a GET would have got; its body is not awaited. */
    @Test
    void head_keepsTheLengthThatTheUpstreamNames() throws IOException {
        long settled = outcomes();
        try (Wire wire = Wire.open(gate.replica(0).port())) {
            wire.send(Requests.http(Settings.KEY, "HEAD", "/http/api/users/1", ""));
            Wire.Answer answer = wire.head();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.decision()).isEqualTo("admitted");
            assertThat(answer.header("Content-Length")).hasValue("5000000000");

            byte[] next = Requests.http(Settings.KEY, "GET", "/http/api/users/1", "");
            assertThat(wire.call(next).status()).as("the connection lives on").isEqualTo(200);
        }
        Await.until("both calls are settled", () -> outcomes() == settled + 2);
    }
}
