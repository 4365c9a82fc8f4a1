package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** The page's section on the ledger alone, from the files that its benchmarks printed. */
final class LedgerTable {
    private final ObjectMapper mapper = new ObjectMapper();
    private final Path folder;
    private final Set<String> commits = new TreeSet<>();
    private final StringBuilder page;

    private LedgerTable(Path folder, StringBuilder page) {
        this.folder = folder;
        this.page = page;
    }

    static void write(Path folder, StringBuilder page) throws IOException {
        new LedgerTable(folder, page).write();
    }

    private void write() throws IOException {
        page.append(
                """

                ## The ledger alone

                One process and one Postgres on this machine, closed loop: each admission is one caller's own blocking call with its
                own answer; the median of three runs. *Full*: three budgets (everybody's, the tenant's, the agent's) and a durable
                intent of about 300 bytes. *Hot*: one budget, decisions without intents. After each benchmark the counters and the
                journal were compared with what the callers were told.

                | What | a second | runs | p50 / p99 ms | calls a batch | target | exact |
                |---|---|---|---|---|---|---|
                """);
        rate("hot", "hot budget, 3,072 callers", "admissionsPerSecond", 1_000_000);
        rate("hot-1024", "hot budget, 1,024 callers", "admissionsPerSecond", 0);
        rate("full-16", "full, 16 agents, 1,024 callers", "admissionsPerSecond", 150_000);
        rate("full-256", "full, 256 agents, 1,024 callers", "admissionsPerSecond", 100_000);
        rate("refused", "refused from memory, 64 callers", "refusalsPerSecond", 2_000_000);
        rate("hot-slow", "hot, 4,096 callers, commit of 2 ms", "admissionsPerSecond", 150_000);
        rate(
                "full-slow",
                "full, 16 agents, 1,024 callers, commit of 2 ms",
                "admissionsPerSecond",
                0);
        rate("lanes-slow", "hot, 30 lanes on one budget, commit of 2 ms", "admissionsPerSecond", 0);
        rate(
                "lanes-full",
                "the same with 16,384 callers: every lane full",
                "admissionsPerSecond",
                0);
        even();
        costs();
        jmh();
        page.append("\nMeasured at commit " + String.join(" and ", commits) + ".\n");
    }

    private JsonNode read(String name) throws IOException {
        JsonNode result = mapper.readTree(folder.resolve("ledger-" + name + ".json").toFile());
        if (result.has("commit")) {
            commits.add(result.path("commit").asText());
        }
        return result;
    }

    private void rate(String name, String what, String field, long target) throws IOException {
        JsonNode result = read(name);
        List<Long> rates = new ArrayList<>();
        for (JsonNode run : result.path("runs")) rates.add(run.path(field).asLong());
        List<Long> sorted = new ArrayList<>(rates);
        Collections.sort(sorted);
        long median = sorted.get(sorted.size() / 2);
        JsonNode run = result.path("runs").get(rates.indexOf(median));
        page.append(
                String.format(
                        Locale.ROOT,
                        "| %s | %,d | %s | %.2f / %.2f | %.0f | %s | %s |%n",
                        what,
                        median,
                        String.join(
                                ", ",
                                rates.stream()
                                        .map(r -> String.format(Locale.ROOT, "%,d", r))
                                        .toList()),
                        run.path("p50Micros").asDouble() / 1_000,
                        run.path("p99Micros").asDouble() / 1_000,
                        run.path("callsPerBatch").asDouble(),
                        target == 0
                                ? "-"
                                : String.format(
                                        Locale.ROOT, "%,d %s", target, met(median >= target)),
                        exact(result)));
    }

    private static String met(boolean met) {
        return met ? "met" : "**missed**";
    }

    /** Calls that were refused for want of time are named: those figures are of what was left. */
    private static String exact(JsonNode result) {
        return result.path("exact").asBoolean() ? "yes" : "**no**";
    }

    private void even() throws IOException {
        JsonNode result = read("even");
        page.append(
                        "\nFull at an even "
                                + String.format(Locale.ROOT, "%,d", result.path("rate").asInt())
                                + "/s, open loop, from the time a call was meant to begin (targets:"
                                + " p50 below 0.7 ms, p99 below 4 ms). Part of it is the"
                                + " driver's own lateness:\n\n")
                .append(
                        "| Run | a second | not admitted | p50 ms | p99 ms | begun late, p50 ms |"
                                + " a batch, ms | calls in it |\n"
                                + "|---|---|---|---|---|---|---|---|\n");
        int round = 0;
        for (JsonNode run : result.path("runs")) {
            page.append(
                    String.format(
                            Locale.ROOT,
                            "| %d | %,d | %d | %.2f %s | %.2f %s | %.2f | %.2f | %.1f |%n",
                            ++round,
                            run.path("admissionsPerSecond").asLong(),
                            run.path("refusalsPerSecond").asLong(),
                            run.path("p50Micros").asDouble() / 1_000,
                            met(run.path("p50Micros").asLong() < 700),
                            run.path("p99Micros").asDouble() / 1_000,
                            met(run.path("p99Micros").asLong() < 4_000),
                            run.path("begunLateP50Micros").asDouble() / 1_000,
                            run.path("roundMicros").asDouble() / 1_000,
                            run.path("callsPerBatch").asDouble()));
        }
        page.append(
                """

                A call waits for the batch that is under way, on average half of one, and then for its own, which nothing can join:
                its median is one and a half times a batch, and the way there and back. Two lanes do not help where calls share a
                budget, because its lock is held until the commit is flushed.
                """);
    }

    private void costs() throws IOException {
        JsonNode costs = read("costs");
        long admit = costs.path("admitHoldingMicros").asLong();
        long settle = costs.path("settleMicros").asLong();
        page.append(
                String.format(
                        Locale.ROOT,
                        """

                        One transaction after the other on one connection, median of %,d rounds, %d calls each with three counters
                        where nothing else is said:

                        | Transaction | us | target |
                        |---|---|---|
                        | one row changed and committed, nothing else | %,d | - |
                        | admission of one call | %,d | - |
                        | admission of %,d calls on one counter, without intents | %,d | - |
                        | admission, nothing held | %,d | - |
                        | admission, one of the three counters held | %,d | - |
                        | settlement of the same calls | %,d | at most an admission: %s |
                        | admission of %d calls of which none is like another | %,d | below 15,000: %s |
                        """,
                        costs.path("rounds").asInt(),
                        costs.path("calls").asInt(),
                        costs.path("oneRowMicros").asLong(),
                        costs.path("admitOneMicros").asLong(),
                        costs.path("hotCalls").asInt(),
                        costs.path("admitHotMicros").asLong(),
                        costs.path("admitPlainMicros").asLong(),
                        admit,
                        settle,
                        met(settle <= admit),
                        costs.path("distinctGroups").asInt(),
                        costs.path("distinctMicros").asLong(),
                        met(costs.path("distinctMicros").asLong() < 15_000)));
    }

    private void jmh() throws IOException {
        page.append(
                """

                The combiner and the pure algebra, by JMH (`docs/internals/jmh.sh`), nanoseconds; those of the combiner are a call's
                share of 1,024. *Twin* is the in-memory ledger of the tests: the ledger itself computes sliding windows and rates in
                SQL.

                | What | ns | plus or minus |
                |---|---|---|
                """);
        for (JsonNode result : mapper.readTree(folder.resolve("jmh.json").toFile())) {
            String name = result.path("benchmark").asText();
            page.append(
                    String.format(
                            Locale.ROOT,
                            "| %s | %,.1f | %,.1f |%n",
                            name.substring(name.indexOf("Benchmark.") + 10).replace('_', ' '),
                            result.path("primaryMetric").path("score").asDouble(),
                            result.path("primaryMetric").path("scoreError").asDouble()));
        }
    }
}
