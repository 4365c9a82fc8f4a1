package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The official MCP programs of {@code src/test/fixtures/mcp}. */
final class Fixture {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Fixture() {}

    /** The official server of the session era, at {@code /mcp} of that port. */
    static Program everythingServer(int port) {
        Program program =
                Program.start(
                        "server-everything",
                        List.of(
                                Tools.node(),
                                packaged("server-everything/dist/index.js"),
                                "streamableHttp"),
                        Map.of("PORT", String.valueOf(port)));
        program.awaitOutput("listening on port " + port);
        return program;
    }

    /** A server on the official package of the stateless era. */
    static Program statelessServer(int port, Path calls) {
        Program program =
                Program.start(
                        "stateless-server",
                        List.of(Tools.node(), script("stateless-server.mjs")),
                        Map.of("PORT", String.valueOf(port), "CALL_LOG", calls.toString()));
        program.awaitOutput("\"port\":" + port);
        return program;
    }

    /** One of the client programs, not yet ended. */
    static Program client(String script, int port, String server, String key, String... more) {
        List<String> command =
                new java.util.ArrayList<>(
                        List.of(
                                Tools.node(),
                                script(script),
                                "http://127.0.0.1:" + port + "/mcp/" + server,
                                key));
        command.addAll(List.of(more));
        return Program.start(script.replace(".mjs", ""), command, Map.of());
    }

    /** What a client found, check by check, once it has ended well. */
    static List<JsonNode> checks(Program client) {
        int status =
                client.awaitExit(Duration.ofMinutes(2)).orElseThrow(() -> client.failure("no end"));
        if (status != 0) throw client.failure("ended with " + status);
        return json(client);
    }

    static List<JsonNode> json(Program program) {
        return program.lines().stream()
                .filter(line -> line.startsWith("{"))
                .map(Fixture::parse)
                .toList();
    }

    static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON: " + line, e);
        }
    }

    private static String script(String name) {
        return Tools.MCP.resolve(name).toString();
    }

    private static String packaged(String path) {
        return Tools.MCP.resolve("node_modules/@modelcontextprotocol").resolve(path).toString();
    }
}
