package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;

/** The page of measurements, made from the raw figures alone: nothing in it is typed by hand. */
final class MeasurementsPage {
    /** What each way must reach as a part of nginx's rate in the same run. */
    private static final Map<String, Double> TARGETS =
            Map.of("ungoverned", 0.7, "one", 0.25, "two", 0.2);

    private MeasurementsPage() {}

    /** Reads {@code results.json} of that folder and writes the page beside the folder. */
    static void write(Path folder) throws IOException {
        JsonNode result = new ObjectMapper().readTree(folder.resolve("results.json").toFile());
        var page = new StringBuilder("# Measurements\n\n");
        page.append(
                """
                Made by `docs/internals/measure.sh` from the raw figures in `measurements/`; nothing here is typed by hand.

                """);
        if (result.path("quick").asBoolean()) {
            page.append("**A quick run: too short for figures that mean something.**\n\n");
        }
        throughput(page, result);
        latency(page, result);
        LedgerTable.write(folder, page);
        StopTable.write(folder, page);
        others(page, result);
        machine(page, result.path("machine"));
        page.append(
                """

                ## What these figures do not tell

                Load generator, stub, nginx, HAProxy, Postgres and the replicas share the cores of one machine: the ratios
                compare like with like, the absolute figures are lower than on machines of their own. wrk is a closed loop:
                its percentiles say what 64 callers that wait for each other's answers see, not what an arrival rate would
                see; latency at a rate comes from the open-loop driver, from the time a call was meant to leave. Postgres
                flushes to this machine's disk, whose flush time is not that of a replicated one.
                """);
        Files.writeString(folder.resolveSibling("measurements.md"), page);
    }

    private static void throughput(StringBuilder page, JsonNode result) {
        Map<String, List<JsonNode>> ways = new LinkedHashMap<>();
        for (JsonNode run : result.path("throughput")) {
            String way = run.path("way").asText();
            ways.computeIfAbsent(way, w -> new java.util.ArrayList<>()).add(run);
        }
        double nginx =
                median(ways.getOrDefault("nginx", List.of()), "perSecond")
                        .path("perSecond")
                        .asDouble();
        page.append(
                        "## Throughput\n\n"
                            + "`wrk`, one thread, 64 connections; interleaved rounds, the median"
                            + " round is shown.")
                .append(
                        " Everything on: API key, stop and block checks, three budgets, durable"
                                + " intent and outcome.\n\n")
                .append(
                        "| Way | calls/s | rounds | x nginx | target | p50 / p99 ms |\n"
                                + "|---|---|---|---|---|---|\n");
        ways.forEach(
                (way, runs) -> {
                    JsonNode median = median(runs, "perSecond");
                    double rate = median.path("perSecond").asDouble();
                    Double target = TARGETS.get(way);
                    page.append(
                            String.format(
                                    Locale.ROOT,
                                    "| %s | %,.0f | %s | %.2f | %s | %.1f / %.1f |%n",
                                    median.path("what").asText(),
                                    rate,
                                    rates(runs),
                                    rate / nginx,
                                    target == null
                                            ? "-"
                                            : target
                                                    + (rate / nginx >= target
                                                            ? " met"
                                                            : " **missed**"),
                                    median.path("p50Micros").asDouble() / 1_000,
                                    median.path("p99Micros").asDouble() / 1_000));
                });
    }

    private static String rates(List<JsonNode> runs) {
        return String.join(
                ", ",
                runs.stream()
                        .map(
                                run ->
                                        String.format(
                                                Locale.ROOT,
                                                "%,.0f",
                                                run.path("perSecond").asDouble()))
                        .toList());
    }

    private static void latency(StringBuilder page, JsonNode result) {
        page.append(
                        "\n"
                                + "## Latency at an even rate, everything on\n\n"
                                + "Open loop; ms from the intended send time.\n\n")
                .append(
                        "| Way | calls/s | round | calls admitted | not admitted | p50 | p90 | p95"
                                + " | p99 | p99.9 | max |\n")
                .append("|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (JsonNode run : result.path("latency")) {
            page.append(
                    String.format(
                            Locale.ROOT,
                            "| %s | %d | %d | %,d | %s | %s | %s | %s | %s | %s | %s |%n",
                            run.path("way").asText().equals("two")
                                    ? "two replicas on a shared port"
                                    : "two replicas behind HAProxy",
                            run.path("perSecond").asInt(),
                            run.path("round").asInt(),
                            run.path("count").asLong(),
                            run.path("others").asLong() == 0
                                    ? "0"
                                    : "**" + run.path("others").asLong() + ": the run failed**",
                            millis(run, "p50.0", 0),
                            millis(run, "p90.0", 0),
                            millis(run, "p95.0", 0),
                            millis(run, "p99.0", 500),
                            millis(run, "p99.9", 5_000),
                            millis(run, "max", 0)));
        }
        page.append("\nTarget at 500/s over two replicas: p50 below 1.2 ms, p99 below 6 ms.\n");
    }

    /** A percentile is printed only from five times the samples that it needs. */
    private static String millis(JsonNode run, String field, long samples) {
        return run.path("count").asLong() < samples
                ? "n/a"
                : String.format(Locale.ROOT, "%.2f", run.path(field).asDouble() / 1_000);
    }

    private static void others(StringBuilder page, JsonNode result) {
        page.append("\n## Start and memory\n\n| What | Measured | Target |\n|---|---|---|\n");
        page.append("| `penstock serve`, launcher to ready, ms, each start | ")
                .append(join(result.path("serveReadyMillis")))
                .append(" | below 1,500 |\n");
        if (result.has("upMillis")) {
            page.append("| `penstock up`, launcher to its table, ms | ")
                    .append(join(result.path("upMillis")))
                    .append(" | below 6,000 |\n");
        }
        for (String when : List.of("idle", "afterLoad")) {
            JsonNode memory = result.path("memory-" + when);
            memory.properties()
                    .forEach(
                            entry ->
                                    page.append(
                                            String.format(
                                                    Locale.ROOT,
                                                    "| resident memory of replica `%s`, %s: now /"
                                                            + " peak MiB | %d / %d | below 256 |%n",
                                                    entry.getKey(),
                                                    when.equals("idle") ? "idle" : "after load",
                                                    entry.getValue().path("nowKiB").asLong() / 1024,
                                                    entry.getValue().path("peakKiB").asLong()
                                                            / 1024)));
        }
    }

    private static String join(JsonNode numbers) {
        return String.join(
                ", ",
                StreamSupport.stream(numbers.spliterator(), false).map(JsonNode::asText).toList());
    }

    private static void machine(StringBuilder page, JsonNode machine) {
        page.append("\n## Machine\n\n");
        machine.properties()
                .forEach(
                        entry ->
                                page.append("- ")
                                        .append(entry.getKey())
                                        .append(": ")
                                        .append(
                                                entry.getValue().isObject()
                                                        ? entry.getValue()
                                                                .toString()
                                                                .replace("\"", "")
                                                        : entry.getValue().asText())
                                        .append('\n'));
    }

    private static JsonNode median(List<JsonNode> runs, String field) {
        List<JsonNode> sorted =
                runs.stream()
                        .sorted(Comparator.comparingDouble(run -> run.path(field).asDouble()))
                        .toList();
        return sorted.get(sorted.size() / 2);
    }
}
