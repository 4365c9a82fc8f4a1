package io.penstock.gateway.admin;

import static io.penstock.gateway.socket.TestPollers.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Result;
import io.penstock.gateway.config.AdminConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.Readiness;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin plane over real HTTP: who may do what, and what it answers. */
@Timeout(60)
final class AdminPlaneIT {
    private static final String STOP_ALL = "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"fire\"}";

    @TempDir Path directory;

    private final FakeReplica replica = new FakeReplica();
    private final AtomicLong lag = new AtomicLong();
    private final Meters meters = new Meters(List.of("files"));
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private AdminPlane plane;

    @BeforeEach
    void start() throws IOException {
        writeTokens("view-token", "operate-token", "stop-token");
        plane = plane(directory.resolve("tokens"), Readiness.ANSWER);
        plane.start();
    }

    private void writeTokens(String view, String operate, String stop) throws IOException {
        Files.writeString(
                directory.resolve("tokens"),
                "- { id: looker, sha256: "
                        + sha256(view)
                        + ", role: view }\n- { id: worker, sha256: "
                        + sha256(operate)
                        + ", role: operate }\n- { id: breaker, sha256: "
                        + sha256(stop)
                        + ", role: stop }\n");
    }

    private static String sha256(String token) {
        return HexFormat.of().formatHex(AdminToken.digest(token));
    }

    private AdminPlane plane(@Nullable Path tokens, Readiness readiness) {
        return new AdminPlane(
                SHARED,
                new AdminConfig(new ListenConfig("127.0.0.1", 0, false, null), tokens),
                readiness,
                new AdminPlane.Ports(replica, replica, replica, replica),
                meters,
                new AdminPlane.Sources(
                        () -> System.nanoTime() + lag.get(),
                        InstantSource.system(),
                        UUID::randomUUID));
    }

    @AfterEach
    void stop() {
        plane.close();
        meters.close();
        client.close();
    }

    private HttpResponse<String> send(
            String method, String path, @Nullable String token, @Nullable String body)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + plane.port() + path))
                        .timeout(Duration.ofSeconds(20))
                        .version(HttpClient.Version.HTTP_1_1)
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send("GET", path, null, null);
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        return new ObjectMapper().readTree(response.body());
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code)
            throws Exception {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        assertThat(json(response).path("code").asText()).isEqualTo(code);
        assertThat(json(response).path("status").asInt()).isEqualTo(status);
    }

    @Test
    void health_open_isGoodThreeTimes() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").statusCode()).isEqualTo(200);
        assertThat(get("/health/admit").statusCode()).isEqualTo(200);
        assertThat(json(get("/health/ready")).path("admits").asBoolean()).isTrue();
    }

    @Test
    void health_cannotAdmit_isReadyAndSaysWhyNot() throws Exception {
        replica.whyClosed = "the database does not answer";

        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").statusCode()).isEqualTo(200);
        assertThat(json(get("/health/ready")).path("admits").asBoolean()).isFalse();
        assertThat(json(get("/health/ready")).path("reason").asText())
                .isEqualTo("the database does not answer");
        assertThat(get("/health/admit").statusCode()).isEqualTo(503);
        assertThat(json(get("/health/admit")).path("reason").asText())
                .isEqualTo("the database does not answer");
    }

    @Test
    void health_draining_isNotReady() throws Exception {
        replica.ready = false;
        replica.draining = true;

        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(get("/health/admit").statusCode()).isEqualTo(503);
        assertThat(json(get("/health/ready")).path("reason").asText()).isEqualTo("draining");
    }

    @Test
    void health_readinessAdmit_followsAdmitting() throws Exception {
        try (AdminPlane strict = plane(null, Readiness.ADMIT)) {
            strict.start();
            AdminPlane usual = plane;
            plane = strict;
            assertThat(get("/health/ready").statusCode()).isEqualTo(200);
            replica.whyClosed = "stale";
            assertThat(get("/health/ready").statusCode()).isEqualTo(503);
            plane = usual;
        }
    }

    @Test
    void metrics_areServedWithoutToken() throws Exception {
        meters.decided("admitted", "files", 1_500_000);

        HttpResponse<String> response = get("/metrics");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        assertThat(response.body())
                .contains("penstock_calls_total{decision=\"admitted\",server=\"files\"} 1.0")
                .contains("jvm_memory_used_bytes");
    }

    @Test
    void metrics_budgetRatios_areReadFromTheSource() throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        String wanted = "penstock_budget_used_ratio{budget=\"agent-rate\"} 0.25";
        while (!get("/metrics").body().contains(wanted) && System.nanoTime() - end < 0) {
            Thread.sleep(10);
        }
        assertThat(get("/metrics").body()).contains(wanted);
    }

    @Test
    void page_index_saysWhatThisIs() throws Exception {
        HttpResponse<String> response = get("/");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("Penstock").contains("v1/openapi.json");
        assertThat(response.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
    }

    @Test
    void api_everyOperation_isDescribedAndNoOther() throws Exception {
        Set<String> served = new TreeSet<>();
        for (Operation each : Operation.values()) {
            served.add(
                    each.method()
                            + " "
                            + each.path()
                            + " "
                            + (each.role() == null ? "open" : each.role().word()));
        }
        JsonNode document = json(get("/v1/openapi.json"));
        Set<String> described = new TreeSet<>();
        document.path("paths")
                .properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .properties()
                                        .forEach(
                                                one ->
                                                        described.add(
                                                                one.getKey()
                                                                                .toUpperCase(
                                                                                        java.util
                                                                                                .Locale
                                                                                                .ROOT)
                                                                        + " "
                                                                        + path.getKey()
                                                                        + " "
                                                                        + one.getValue()
                                                                                .path(
                                                                                        "x-penstock-role")
                                                                                .asText("open"))));

        assertThat(document.path("openapi").asText()).startsWith("3.1");
        assertThat(described).isEqualTo(served);
    }

    @Test
    void api_everyReferenceOfTheDescription_isThere() throws Exception {
        JsonNode document = json(get("/v1/openapi.json"));

        for (JsonNode reference : document.findValues("$ref")) {
            assertThat(document.at(reference.asText().substring(1)).isMissingNode())
                    .as(reference.asText())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/status",
        "GET, /v1/stops",
        "POST, /v1/stops",
        "DELETE, /v1/stops/x",
        "GET, /v1/budgets",
        "GET, /v1/budgets/explain?agent=a/b&server=files&tool=t",
        "GET, /v1/budgets/holds",
        "POST, /v1/budgets/b/reset",
        "GET, /v1/blocks",
        "POST, /v1/blocks",
        "DELETE, /v1/blocks/t/a",
        "GET, /v1/revisions"
    })
    void api_withoutKnownToken_isTurnedAway(String method, String path) throws Exception {
        String body = method.equals("POST") ? STOP_ALL : null;

        HttpResponse<String> none = send(method, path, null, body);
        HttpResponse<String> wrong = send(method, path, "guess", body);

        assertProblem(none, 401, "unauthenticated");
        assertProblem(wrong, 401, "unauthenticated");
        assertThat(none.headers().firstValue("WWW-Authenticate")).isPresent();
        assertThat(replica.latched).isEmpty();
        assertThat(replica.blocks).isEmpty();
    }

    /**
     * Every operation for every role: turned away for its role where that is too low, and only
     * there.
     */
    @Test
    void api_everyOperationAndRole_isAsTheTableSays() throws Exception {
        for (Operation operation : Operation.values()) {
            Role least = operation.role();
            if (least == null) {
                continue;
            }
            String path = operation.path().replaceAll("\\{[^}]*}", "x");
            for (Role role : Role.values()) {
                HttpResponse<String> answer =
                        send(
                                operation.method(),
                                path,
                                role.word() + "-token",
                                operation.method().equals("POST") ? "{}" : null);

                String what = operation + " as " + role + ": " + answer.body();
                if (role.includes(least)) {
                    assertThat(answer.body()).as(what).doesNotContain("\"role\"");
                    assertThat(answer.statusCode()).as(what).isNotEqualTo(401);
                } else {
                    assertProblem(answer, 403, "role");
                }
            }
        }
        assertThat(replica.latched).isEmpty();
        assertThat(replica.blocks).isEmpty();
    }

    @Test
    void api_withoutTokensFile_isClosed() throws Exception {
        try (AdminPlane closed = plane(null, Readiness.ANSWER)) {
            closed.start();
            AdminPlane usual = plane;
            plane = closed;
            assertProblem(send("GET", "/v1/status", "stop-token", null), 403, "closed");
            assertProblem(send("POST", "/v1/stops", "stop-token", STOP_ALL), 403, "closed");
            assertThat(get("/metrics").statusCode()).isEqualTo(200);
            plane = usual;
        }
        assertThat(replica.latched).isEmpty();
    }

    @Test
    void api_roleBelow_isTurnedAway() throws Exception {
        assertProblem(send("POST", "/v1/stops", "view-token", STOP_ALL), 403, "role");
        assertProblem(send("POST", "/v1/stops", "operate-token", STOP_ALL), 403, "role");
        assertProblem(send("POST", "/v1/blocks", "view-token", "{}"), 403, "role");
        assertThat(send("GET", "/v1/stops", "view-token", null).statusCode()).isEqualTo(200);
        assertThat(send("GET", "/v1/stops", "stop-token", null).statusCode()).isEqualTo(200);
        assertThat(replica.latched).isEmpty();
        assertThat(replica.blocks).isEmpty();
    }

    @Test
    void api_manyFailures_areHeldBackButARightTokenIsNot() throws Exception {
        for (int i = 0; i < FailedLogins.EACH_MAX; i++) {
            assertProblem(send("GET", "/v1/status", "guess" + i, null), 401, "unauthenticated");
        }

        HttpResponse<String> held = send("GET", "/v1/status", "guess", null);
        assertProblem(held, 429, "too-many-failures");
        assertThat(held.headers().firstValue("Retry-After")).isPresent();
        assertThat(send("POST", "/v1/stops", "stop-token", STOP_ALL).statusCode()).isEqualTo(202);

        lag.addAndGet(FailedLogins.WINDOW_NANOS);
        assertProblem(send("GET", "/v1/status", "guess", null), 401, "unauthenticated");
    }

    @Test
    void tokens_changed_areReadAgain() throws Exception {
        writeTokens("view-token", "operate-token", "another-token");
        assertThat(send("POST", "/v1/stops", "stop-token", STOP_ALL).statusCode()).isEqualTo(202);

        lag.addAndGet(TokensFile.FRESH_NANOS);

        assertProblem(send("POST", "/v1/stops", "stop-token", STOP_ALL), 401, "unauthenticated");
        assertThat(send("POST", "/v1/stops", "another-token", STOP_ALL).statusCode())
                .isEqualTo(202);
    }

    @Test
    void stop_order_holdsHereAtOnce() throws Exception {
        replica.databaseAway = true;

        HttpResponse<String> response =
                send(
                        "POST",
                        "/v1/stops",
                        "stop-token",
                        "{\"scopes\":[{\"kind\":\"agent\",\"value\":\"acme/a/b\"},"
                                + "{\"kind\":\"server\",\"value\":\"files\"}],"
                                + "\"reason\":\"it's \\\"odd\\\"\\nvery\",\"drain\":true,"
                                + "\"showReason\":true}");

        assertThat(response.statusCode()).isEqualTo(202);
        StopOrder order = replica.latched.getFirst();
        assertThat(order.targets())
                .extracting(StopOrder.Target::scope)
                .containsExactly(new Scope.Agent("acme", "a/b"), new Scope.Server("files"));
        assertThat(order.actor()).isEqualTo("token:breaker");
        assertThat(order.reason()).isEqualTo("it's \"odd\"\nvery");
        assertThat(order.drain()).isTrue();
        assertThat(order.showReason()).isTrue();
        assertThat(replica.confirmed).isEmpty();
        JsonNode answer = json(response);
        assertThat(answer.path("heldHere").asBoolean()).isTrue();
        assertThat(answer.path("outlivesRestart").asBoolean()).isTrue();
        assertThat(answer.path("confirmation").isNull()).isTrue();
        assertThat(answer.path("stops").get(0).path("id").asText())
                .isEqualTo(order.targets().getFirst().id().toString());
    }

    @Test
    void stop_callerWaits_isConfirmed() throws Exception {
        String id = "0195d3a0-0000-7000-8000-000000000001";

        HttpResponse<String> response =
                send(
                        "POST",
                        "/v1/stops",
                        "stop-token",
                        "{\"scopes\":[{\"kind\":\"all\",\"id\":\""
                                + id
                                + "\"}],\"reason\":\"fire\",\"waitMs\":5000}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(replica.confirmed).isEqualTo(replica.latched);
        assertThat(replica.latched.getFirst().targets().getFirst().id()).hasToString(id);
        JsonNode confirmation = json(response).path("confirmation");
        assertThat(confirmation.path("result").asText()).isEqualTo("confirmed");
        assertThat(confirmation.path("epoch").asInt()).isEqualTo(8);
        assertThat(confirmation.path("replicas").get(0).path("text").asText())
                .isEqualTo("acked in 3 ms, cut 1");
    }

    @Test
    void stop_notConfirmedInTime_isAcceptedOnly() throws Exception {
        replica.result = Result.NOT_CONFIRMED;

        HttpResponse<String> response =
                send(
                        "POST",
                        "/v1/stops",
                        "stop-token",
                        STOP_ALL.replace("}],", "}],\"waitMs\":1,"));

        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(json(response).path("confirmation").path("result").asText())
                .isEqualTo("not-confirmed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{",
                "{} {}",
                "{\"scopes\":[{\"kind\":\"all\"}]}",
                "{\"reason\":\"x\"}",
                "{\"scopes\":[],\"reason\":\"x\"}",
                "{\"scopes\":[\"all\"],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"all\",\"value\":\"x\"}],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"tenant\"}],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"agent\",\"value\":\"x\"}],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"planet\",\"value\":\"x\"}],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"all\",\"id\":\"1-2-3-4-5\"}],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"all\",\"why\":\"x\"}],\"reason\":\"x\"}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\" \"}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":7}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"x\",\"reason\":\"y\"}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"x\",\"Drain\":true}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"x\",\"drain\":\"true\"}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"x\",\"waitMs\":60001}",
                "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"x\",\"waitMs\":1.5}",
                "{\"scopes\":[[[[[[[[[[]]]]]]]]]],\"reason\":\"x\"}"
            })
    void stop_orderIsNotUnderstood_isRefusedWhole(String body) throws Exception {
        assertProblem(send("POST", "/v1/stops", "stop-token", body), 400, "bad-request");
        assertThat(replica.latched).isEmpty();
    }

    @Test
    void stop_orderOfAnotherType_isRefused() throws Exception {
        HttpResponse<String> response =
                client.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:" + plane.port() + "/v1/stops"))
                                .header("Authorization", "Bearer stop-token")
                                .header("Content-Type", "text/plain")
                                .POST(HttpRequest.BodyPublishers.ofString(STOP_ALL))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertProblem(response, 400, "bad-request");
        assertThat(replica.latched).isEmpty();
    }

    @Test
    void stop_bodyAboveTheBound_isRefused() throws Exception {
        String body = STOP_ALL.replace("fire", "x".repeat(AdminPlane.LIMITS.bodyBytes()));

        assertThat(send("POST", "/v1/stops", "stop-token", body).statusCode()).isEqualTo(413);
        assertThat(replica.latched).isEmpty();
    }

    @Test
    void stop_lifting_isNotPossibleHere() throws Exception {
        HttpResponse<String> response =
                send("DELETE", "/v1/stops/" + UUID.randomUUID(), "stop-token", null);

        assertProblem(response, 403, "needs-database-credential");
        assertThat(json(response).path("detail").asText()).contains("penstock resume");
        assertProblem(
                send("DELETE", "/v1/blocks/acme/a", "stop-token", null),
                403,
                "needs-database-credential");
    }

    @Test
    void block_order_isGiven() throws Exception {
        HttpResponse<String> response =
                send(
                        "POST",
                        "/v1/blocks",
                        "operate-token",
                        "{\"tenant\":\"acme\",\"agent\":\"crawler/1\",\"seconds\":3600,"
                                + "\"reason\":\"loop\"}");

        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(replica.blocks)
                .containsExactly(
                        new BlockGiver.Order(
                                "acme", "crawler/1", Duration.ofHours(1), "loop", "token:worker"));
        assertThat(json(response).path("expiresAt").asText()).isEqualTo("2026-12-01T01:00:00Z");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"tenant\":\"a b\",\"agent\":\"x\",\"seconds\":1,\"reason\":\"x\"}",
                "{\"tenant\":\"a\",\"agent\":\"x\",\"seconds\":0,\"reason\":\"x\"}",
                "{\"tenant\":\"a\",\"agent\":\"x\",\"reason\":\"x\"}",
                "{\"tenant\":\"a\",\"agent\":\"x\",\"seconds\":99999999,\"reason\":\"x\"}",
                "{\"tenant\":\"a\",\"seconds\":1,\"reason\":\"x\"}"
            })
    void block_orderIsNotUnderstood_isRefused(String body) throws Exception {
        assertProblem(send("POST", "/v1/blocks", "operate-token", body), 400, "bad-request");
        assertThat(replica.blocks).isEmpty();
    }

    @Test
    void block_databaseIsAway_isNotSaidToBeGiven() throws Exception {
        replica.databaseAway = true;

        HttpResponse<String> response =
                send(
                        "POST",
                        "/v1/blocks",
                        "operate-token",
                        "{\"tenant\":\"a\",\"agent\":\"x\",\"seconds\":1,\"reason\":\"x\"}");

        assertProblem(response, 503, "unavailable");
        assertThat(response.body()).doesNotContain("secret-host");
    }

    @Test
    void views_areShown() throws Exception {
        JsonNode status = json(send("GET", "/v1/status", "view-token", null));
        assertThat(status.path("answeredBy").path("epoch").asInt()).isEqualTo(7);
        assertThat(status.path("answeredBy").path("leaseLeftMs").asInt()).isEqualTo(500);
        assertThat(status.path("cluster").path("viewName").asText()).isEqualTo("CLUSTER");
        assertThat(status.path("replicas").get(0).path("someNull").isNull()).isTrue();
        JsonNode holds = json(send("GET", "/v1/budgets/holds", "view-token", null)).path("holds");
        assertThat(holds.get(0).path("viewName").asText()).isEqualTo("HOLDS");
        for (String view : List.of("budgets", "blocks", "revisions")) {
            JsonNode rows = json(send("GET", "/v1/" + view, "view-token", null)).path(view);
            assertThat(rows.get(0).path("viewName").asText()).isEqualToIgnoringCase(view);
        }
    }

    @Test
    void explain_aCall_tellsEveryBudget() throws Exception {
        String call = "?agent=acme%2Fbob&server=files&tool=read%20it&session=s-1";

        JsonNode answer = json(send("GET", "/v1/budgets/explain" + call, "view-token", null));

        assertThat(replica.asked)
                .containsExactly(new Subject("acme", "bob", "files", "read it", "s-1"));
        assertThat(answer.path("revision").asInt()).isEqualTo(3);
        assertThat(answer.path("refused").asBoolean()).isTrue();
        assertThat(answer.path("budgets").get(0).path("budget").asText()).isEqualTo("agent-rate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?agent=acme/bob&server=files",
                "?agent=acme&server=files&tool=t",
                "?agent=/bob&server=files&tool=t",
                "?agent=acme/bob&server=files&tool=t&tool=u",
                "?agent=acme/bob&server=files&tool=t&limit=1",
                "?agent=acme/bob&server=nowhere&tool=t"
            })
    void explain_badQuestion_isSaidAndNobodyIsAsked(String query) throws Exception {
        assertProblem(
                send("GET", "/v1/budgets/explain" + query, "view-token", null), 400, "bad-request");
        assertThat(replica.asked).isEmpty();
    }

    @Test
    void reset_throughAReplica_isRefusedWithTheCommandThatCan() throws Exception {
        HttpResponse<String> answer =
                send("POST", "/v1/budgets/agent-rate/reset", "stop-token", null);

        assertProblem(answer, 403, "needs-database-credential");
        assertThat(answer.body()).contains("penstock budgets reset");
    }

    @Test
    void views_databaseIsAway_showWhatIsKnownHere() throws Exception {
        replica.databaseAway = true;
        send("POST", "/v1/stops", "stop-token", STOP_ALL);

        JsonNode status = json(send("GET", "/v1/status", "view-token", null));
        JsonNode stops = json(send("GET", "/v1/stops", "view-token", null));
        HttpResponse<String> budgets = send("GET", "/v1/budgets", "view-token", null);

        assertThat(status.path("answeredBy").path("openCalls").asInt()).isEqualTo(4);
        assertThat(status.path("replicas").isNull()).isTrue();
        assertThat(status.path("unavailable").asText()).isNotEmpty();
        assertThat(stops.path("stops").isNull()).isTrue();
        assertThat(stops.path("heldHere").get(0).path("value").asText()).isEqualTo("acme");
        assertThat(stops.path("unrecorded").get(0).path("kind").asText()).isEqualTo("all");
        assertProblem(budgets, 503, "unavailable");
        assertThat(status + budgets.body()).doesNotContain("secret-host");
    }

    @Test
    void path_unknownOrWrongMethod_isSaid() throws Exception {
        assertProblem(get("/nothing"), 404, "unknown-path");
        assertProblem(get("/v1/stops/"), 404, "unknown-path");
        assertProblem(get("//v1/status"), 404, "unknown-path");
        assertProblem(get("/observe/metrics"), 404, "unknown-path");
        HttpResponse<String> wrong = send("PUT", "/v1/stops", "stop-token", STOP_ALL);
        assertProblem(wrong, 405, "method");
        assertThat(wrong.headers().firstValue("Allow")).contains("GET, POST");
        assertThat(send("HEAD", "/health/live", null, null).statusCode()).isEqualTo(200);
    }

    @Test
    void query_isIgnoredForThePath() throws Exception {
        assertThat(get("/health/live?x=/v1/status").statusCode()).isEqualTo(200);
    }
}
