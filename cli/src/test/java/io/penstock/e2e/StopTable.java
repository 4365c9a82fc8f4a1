package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The page's section on the stop, from the files of {@link StopMeasurements}. */
final class StopTable {
    private final ObjectMapper mapper = new ObjectMapper();
    private final Path folder;
    private final StringBuilder page;

    private StopTable(Path folder, StringBuilder page) {
        this.folder = folder;
        this.page = page;
    }

    static void write(Path folder, StringBuilder page) throws IOException {
        new StopTable(folder, page).write();
    }

    private void write() throws IOException {
        page.append(
                """

                ## The stop

                Two replicas unless it says otherwise; a stop of everything each time. From the order's statement to the last
                acknowledgement that was read, in a process that gives one after the other with the command's classes and flags, each
                on a connection of its own.

                | What | trials | p50 ms | p90 ms | max ms | target |
                |---|---|---|---|---|---|
                """);
        row("idle", "recorded", "recorded, idle", 0, 0);
        row("idle", "confirmed", "last acknowledgement, idle", 3, 15);
        row("load", "confirmed", "last acknowledgement, 1,000 calls/s", 3, 15);
        row("simulated", "confirmed", "100 control buses in one process", 0, 50);
        row("unreachable", "lastSend", "one cut off: last send after the order", 0, 1_000);
        row("unreachable", "exit", "one cut off: the command's end after the order", 0, 1_200);
        row("command", "whole", "`penstock stop`, from the start of its process", 0, 700);
        row("command", "acknowledged", "the same, from its order on", 0, 0);
        row("command", "psql", "psql's `stop_and_wait`, from its start", 0, 0);
        row("streams", "lastCut", "1,000 open streams: the last cut, from the commit", 0, 100);
        row("resume", "service", "lifting, to an admitted call at both replicas", 0, 100);
        storm();
    }

    private JsonNode read(String name) throws IOException {
        Path file = folder.resolve("stop-" + name + ".json");
        return Files.exists(file) ? mapper.readTree(file.toFile()) : mapper.createObjectNode();
    }

    private void row(String name, String field, String what, int p50, int max) throws IOException {
        JsonNode times = read(name).path(field);
        if (times.path("count").asInt() == 0) {
            page.append("| ").append(what).append(" | not measured | | | | |\n");
            return;
        }
        String targets =
                (p50 == 0 ? "" : "p50 below " + p50 + met(times, "p50Micros", p50) + "; ")
                        + (max == 0 ? "" : "below " + max + met(times, "maxMicros", max));
        page.append(
                String.format(
                        Locale.ROOT,
                        "| %s | %d | %s | %s | %s | %s |%n",
                        what,
                        times.path("count").asInt(),
                        millis(times, "p50Micros"),
                        millis(times, "p90Micros"),
                        millis(times, "maxMicros"),
                        targets.isEmpty() ? "-" : targets));
    }

    private static String met(JsonNode times, String field, int millis) {
        return times.path(field).asDouble() < millis * 1_000.0 ? " met" : " **missed**";
    }

    private static String millis(JsonNode times, String field) {
        return String.format(Locale.ROOT, "%.1f", times.path(field).asDouble() / 1_000);
    }

    private void storm() throws IOException {
        JsonNode storm = read("storm");
        page.append("\n### Calls beside a busy control plane\n\n");
        if (storm.path("rounds").isEmpty()) {
            page.append("Not measured.\n");
            return;
        }
        page.append(
                String.format(
                        Locale.ROOT,
                        """
                        Heartbeats of %d replicas, %,d stops in force, the epoch raised %d times a second; two replicas, %d calls/s,
                        with and without in turn.

                        | Control plane | admitted | others | p50 ms | p99 ms | beats/s | changes/s |
                        |---|---|---|---|---|---|---|
                        """,
                        storm.path("replicas").asInt(),
                        storm.path("stops").asInt(),
                        storm.path("changes").asInt(),
                        storm.path("perSecond").asInt()));
        for (JsonNode round : storm.path("rounds")) {
            long all = 0;
            for (JsonNode count : round.path("load").path("decisions")) all += count.asLong();
            long admitted = round.path("load").path("decisions").path("admitted").asLong();
            page.append(
                    String.format(
                            Locale.ROOT,
                            "| %s | %,d | %,d | %s | %s | %.0f | %.0f |%n",
                            round.path("storm").asBoolean() ? "busy" : "quiet",
                            admitted,
                            all - admitted + round.path("load").path("failed").asLong(),
                            millis(round, "p50Micros"),
                            millis(round, "p99Micros"),
                            round.path("beatsPerSecond").asDouble(),
                            round.path("changesPerSecond").asDouble()));
        }
        double ratio = p99(storm, true) / p99(storm, false);
        page.append(
                String.format(
                        Locale.ROOT,
                        "%nMedian p99, busy to quiet: %.2f (target: below 2, %s). The listeners of"
                                + " 200 replicas are not part of it.%n",
                        ratio,
                        ratio < 2 ? "met" : "**missed**"));
    }

    private static double p99(JsonNode storm, boolean busy) {
        List<Double> all = new ArrayList<>();
        for (JsonNode round : storm.path("rounds")) {
            if (round.path("storm").asBoolean() == busy)
                all.add(round.path("p99Micros").asDouble());
        }
        Collections.sort(all);
        return all.get(all.size() / 2);
    }
}
