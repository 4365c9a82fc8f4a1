package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** wrk with one thread: how many calls a second get through at a number of connections. */
final class Wrk {
    private static final List<Path> PROGRAMS = List.of(Path.of("/usr/bin/wrk"));

    private static final String SCRIPT =
            """
            local requests, i = {}, 0
            init = function(args)
               for n, key in ipairs({ %s }) do
                  requests[n] = wrk.format("POST", "%s", {
                     ["Authorization"] = "Bearer " .. key,
                     ["Content-Type"] = "application/json",
                     ["Accept"] = "application/json, text/event-stream",
                     ["MCP-Protocol-Version"] = "2025-11-25",
                  }, [[%s]])
               end
            end
            request = function()
               i = i %% #requests + 1
               return requests[i]
            end
            done = function(summary, latency)
               io.write(string.format(
                  '{"requests":%%d,"micros":%%d,"p50":%%d,"p99":%%d,"max":%%d,"status":%%d,"connect":%%d,"read":%%d,"write":%%d,"timeout":%%d}\\n',
                  summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
                  summary.errors.status, summary.errors.connect, summary.errors.read, summary.errors.write,
                  summary.errors.timeout))
            end
            """;

    private Wrk() {}

    /**
     * One run.
     *
     * @param raw everything that wrk printed
     */
    record Run(JsonNode summary, String raw) {
        double perSecond() {
            return summary.path("requests").asDouble() / summary.path("micros").asDouble() * 1e6;
        }

        long errors() {
            return List.of("status", "connect", "read", "write", "timeout").stream()
                    .mapToLong(kind -> summary.path(kind).asLong())
                    .sum();
        }
    }

    static Run run(int port, String path, List<String> keys, int connections, Duration duration) {
        Path script = Program.FOLDER.resolve("wrk-" + port + ".lua");
        String list = keys.stream().map(key -> '"' + key + '"').collect(Collectors.joining(", "));
        try {
            Files.createDirectories(Program.FOLDER);
            Files.writeString(
                    script, SCRIPT.formatted(list, path, Requests.toolCallBody("echo", 1).strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String raw =
                Program.run(
                        "wrk",
                        duration.plusSeconds(60),
                        List.of(
                                Tools.require("wrk", PROGRAMS),
                                "-t1",
                                "-c" + connections,
                                "-d" + duration.toSeconds() + "s",
                                "--latency",
                                "-s",
                                script.toString(),
                                "http://127.0.0.1:" + port + path));
        String json = raw.lines().filter(line -> line.startsWith("{")).findFirst().orElseThrow();
        return new Run(Fixture.parse(json), raw);
    }
}
