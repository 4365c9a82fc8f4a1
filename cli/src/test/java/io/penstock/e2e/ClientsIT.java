package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Clients and servers that others wrote, through two replicas behind HAProxy: requests of one
 * session hop between the replicas.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientsIT {
    private final int everythingPort = Ports.free();
    private final int statelessPort = Ports.free();
    private final Path calls = Program.FOLDER.resolve("stateless-calls.jsonl");
    private Program everything;
    private Program stateless;
    private Gate gate;

    @BeforeAll
    void start() throws IOException {
        Files.createDirectories(Program.FOLDER);
        Files.deleteIfExists(calls);
        everything = Fixture.everythingServer(everythingPort);
        stateless = Fixture.statelessServer(statelessPort, calls);
        gate = Gate.start(2, this::settings);
    }

    @AfterAll
    void stop() {
        if (gate != null) gate.close();
        if (everything != null) everything.close();
        if (stateless != null) stateless.close();
    }

    private Settings settings(Settings settings) {
        return settings.set(
                        "servers",
                        """

                        - { name: everything, url: "http://127.0.0.1:%d/mcp" }
                        - { name: stateless, url: "http://127.0.0.1:%d/mcp" }\
                        """
                                .formatted(everythingPort, statelessPort))
                .set("budgets", Settings.budgets(List.of("wide 100000 1m tenant")));
    }

    @Test
    void sessionClient_everyTool_works() {
        try (Program client =
                Fixture.client("session-client.mjs", gate.port(), "everything", Settings.KEY)) {
            List<JsonNode> checks = Fixture.checks(client);

            assertThat(detail(checks, "connect").asText()).isEqualTo("2025-11-25");
            assertThat(checks)
                    .filteredOn(check -> name(check).startsWith("tool "))
                    .hasSizeGreaterThan(15);
        }
        assertThat(incarnationsThatAdmitted("everything")).isEqualTo(2);
    }

    @Test
    void statelessClient_pinnedToItsEra_works() throws IOException {
        try (Program client =
                Fixture.client("stateless-client.mjs", gate.port(), "stateless", Settings.KEY)) {
            List<JsonNode> checks = Fixture.checks(client);

            assertThat(detail(checks, "connect").asText()).isEqualTo("2026-07-28");
        }
        List<JsonNode> seen = Files.readAllLines(calls).stream().map(Fixture::parse).toList();
        assertThat(seen)
                .filteredOn(entry -> entry.path("event").asText().equals("wait-cancelled"))
                .hasSize(1);
        assertThat(seen)
                .filteredOn(entry -> entry.path("event").asText().equals("request"))
                .isNotEmpty()
                .allMatch(entry -> !entry.has("credential"), "no credential of the agent")
                .allMatch(entry -> entry.hasNonNull("call"), "Penstock-Call")
                .allMatch(entry -> entry.hasNonNull("epoch"), "Penstock-Epoch");
        assertThat(incarnationsThatAdmitted("stateless")).isEqualTo(2);
    }

    @Test
    void javaClient_toolsProgressAndSampling_work() {
        Queue<Double> progress = new ConcurrentLinkedQueue<>();
        try (McpSyncClient client = javaClient(progress)) {
            McpSchema.InitializeResult hello = client.initialize();
            assertThat(hello.protocolVersion()).isEqualTo("2025-11-25");
            assertThat(client.listTools().tools())
                    .extracting(McpSchema.Tool::name)
                    .contains("echo", "get-sum");

            assertThat(text(call(client, "echo", Map.of("message", "from Java"))))
                    .isEqualTo("Echo: from Java");
            assertThat(text(call(client, "get-sum", Map.of("a", 19, "b", 23)))).contains("42");
            Await.until(
                    "the tools that need sampling are there",
                    () ->
                            client.listTools().tools().stream()
                                    .anyMatch(
                                            tool ->
                                                    tool.name()
                                                            .equals("trigger-sampling-request")));
            assertThat(text(call(client, "trigger-sampling-request", Map.of("prompt", "hi"))))
                    .contains("sampled in Java");
            client.callTool(
                    McpSchema.CallToolRequest.builder("trigger-long-running-operation")
                            .arguments(Map.of("duration", 0.4, "steps", 4))
                            .progressToken("p1")
                            .build());
            Await.until("all progress came", () -> progress.size() == 4);
            assertThat(progress).containsExactly(1.0, 2.0, 3.0, 4.0);
            assertThat(client.listResources().resources()).isNotEmpty();
        }
    }

    private McpSyncClient javaClient(Queue<Double> progress) {
        var transport =
                HttpClientStreamableHttpTransport.builder("http://127.0.0.1:" + gate.port())
                        .endpoint("/mcp/everything")
                        .addHttpRequestCustomizer(
                                (builder, method, uri, body, context) ->
                                        builder.header("Authorization", "Bearer " + Settings.KEY))
                        .build();
        return McpClient.sync(transport)
                .requestTimeout(Duration.ofSeconds(30))
                .initializationTimeout(Duration.ofSeconds(30))
                .capabilities(McpSchema.ClientCapabilities.builder().sampling().build())
                .sampling(
                        request ->
                                McpSchema.CreateMessageResult.builder(
                                                McpSchema.Role.ASSISTANT,
                                                "sampled in Java",
                                                "fixture")
                                        .build())
                .progressConsumer(note -> progress.add(note.progress()))
                .build();
    }

    private static McpSchema.CallToolResult call(
            McpSyncClient client, String tool, Map<String, Object> arguments) {
        return client.callTool(
                McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
    }

    private static String text(McpSchema.CallToolResult result) {
        return ((McpSchema.TextContent) result.content().getFirst()).text();
    }

    @Test
    void session_itsReplicaKilled_livesOn() {
        try (Gate small = Gate.prepare(this::settings)) {
            Replica first = small.add("first").launch();
            Replica second = small.add("second");
            first.awaitAdmitting();
            small.balance();
            try (Program client =
                    Fixture.client(
                            "session-client.mjs",
                            small.port(),
                            "everything",
                            Settings.KEY,
                            "survive")) {
                client.awaitOutput("\"waiting\":");
                second.launch().awaitAdmitting();
                awaitInRotation(small, second);
                first.kill();
                awaitOutOfRotation(small, first);
                client.say("go on");

                List<JsonNode> checks = Fixture.checks(client);
                assertThat(checks)
                        .filteredOn(check -> name(check).startsWith("session survives"))
                        .hasSize(8);
            }
        }
    }

    private static void awaitInRotation(Gate gate, Replica replica) {
        Await.until(replica.name() + " answers through HAProxy", () -> sees(gate, replica));
    }

    private static void awaitOutOfRotation(Gate gate, Replica replica) {
        // HAProxy deals requests out in turn: a replica that is in answers one of two.
        Await.until(
                replica.name() + " is out",
                () -> Stream.generate(() -> sees(gate, replica)).limit(4).noneMatch(seen -> seen));
    }

    private static boolean sees(Gate gate, Replica replica) {
        Wire.Answer answer =
                gate.call(
                        Requests.mcp(
                                Settings.KEY,
                                "stateless",
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
        return answer.header("Penstock-Replica").orElse("").equals(replica.name());
    }

    private long incarnationsThatAdmitted(String server) {
        return gate.number(
                "select count(distinct incarnation) from penstock.journal where kind = 'intent' and"
                        + " server = '"
                        + server
                        + "'");
    }

    private static String name(JsonNode check) {
        return check.path("check").asText();
    }

    private static JsonNode detail(List<JsonNode> checks, String name) {
        return checks.stream()
                .filter(check -> name(check).equals(name))
                .map(check -> Objects.requireNonNull(check.get("detail")))
                .findFirst()
                .orElseThrow();
    }
}
