package io.penstock.gateway.admin;

import static io.penstock.gateway.socket.TestPollers.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Mode;
import io.penstock.cluster.control.ControlView;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.upstream.PooledUpstream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The reference page lists what is really served. After a change of the meters: {@code ./mvnw -pl
 * gateway -am test -Dtest=MetricsPageTest -Dpenstock.golden=write
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
final class MetricsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "metrics.md");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

    private static final String INTRODUCTION =
            """
            # Metrics

            `GET /metrics` on the admin port, in Prometheus's text format, without a token. Labels are bounded: names of
            configured servers and budgets, and fixed words; never an agent, a tenant or a tool. What belongs to no
            configured server counts as `server="none"`. `decision` is `admitted` or the code of a
            [refusal](refusals.md). Times are in seconds, from arrival to the end where nothing else is said. The JVM's
            and the process's own meters (`jvm_*`, `process_*`, `system_*`) are served with them.

            """;

    @Test
    void page_andMeters_sayTheSame() throws IOException {
        String expected = INTRODUCTION + table(served());
        if ("write".equals(System.getProperty("penstock.golden"))) {
            Files.writeString(PAGE, expected);
        }

        assertThat(PAGE).hasContent(expected);
    }

    private static String served() {
        try (Meters meters = new Meters(List.of("files"));
                PooledUpstream upstream = upstream()) {
            meters.control(new ControlView(new FakeReplica().snapshot()), () -> 0);
            meters.upstreams(List.of(upstream));
            meters.pool(() -> 1);
            meters.openCalls(() -> 1);
            meters.budgets(Map.of("agent-rate", 0.5));
            meters.refused("bad-header");
            meters.timedOut("idle");
            meters.rejected(400, new UUID(0, 0));
            meters.wouldRefuse("files-cost");
            meters.warned("files-cost");
            meters.raised("files-cost", 80);
            return meters.scrape();
        }
    }

    private static PooledUpstream upstream() {
        return new PooledUpstream(
                SHARED,
                new ServerConfig(
                        "files",
                        URI.create("http://127.0.0.1:1/"),
                        true,
                        Mode.ENFORCE,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        1,
                        Map.of(),
                        null,
                        List.of(),
                        false),
                System::nanoTime);
    }

    private static String table(String exposition) {
        Map<String, String> types = new TreeMap<>();
        Map<String, String> help = new TreeMap<>();
        for (String line : exposition.lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# TYPE penstock_")) {
                types.put(words[2], words[3]);
            } else if (line.startsWith("# HELP penstock_")) {
                help.put(words[2], words[3]);
            }
        }
        StringBuilder page =
                new StringBuilder("| Name | Kind | Labels | Meaning |\n|---|---|---|---|\n");
        types.forEach(
                (name, type) ->
                        page.append(
                                "| `%s` | %s | %s | %s |\n"
                                        .formatted(
                                                name,
                                                type,
                                                labels(exposition, name),
                                                help.getOrDefault(name, ""))));
        return page.toString();
    }

    private static String labels(String exposition, String name) {
        TreeSet<String> labels = new TreeSet<>();
        exposition
                .lines()
                .filter(line -> line.matches(name + "(_bucket|_count|_sum)?[{ ].*"))
                .forEach(
                        line -> {
                            Matcher label = LABEL.matcher(line);
                            while (label.find()) {
                                labels.add(label.group(1));
                            }
                        });
        labels.remove("le");
        return labels.stream().map(each -> "`" + each + "`").collect(Collectors.joining(", "));
    }
}
