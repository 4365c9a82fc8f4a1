package io.penstock.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.control.TestReplica;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Measures the stop: how long until each replica has acknowledged, what a command costs around it,
 * and what happens where a replica cannot be reached. Writes raw figures, of which {@link
 * StopTable} makes a section of the page.
 */
final class StopMeasurements {
    static final int LOAD = 1_000;

    private static final int STORM_LOAD = 500;
    private static final int WARM_UPS = 20;
    private static final Duration HELD = Duration.ofMillis(60);

    private final ObjectMapper mapper = new ObjectMapper();
    private final Path folder;
    private final boolean quick;
    private final int trials;
    private final int commands;
    private final int streams;
    private final TestServer server;

    private StopMeasurements(Path folder, boolean quick, TestServer server) {
        this.folder = folder;
        this.server = server;
        this.quick = quick;
        trials = quick ? 5 : 100;
        commands = quick ? 2 : 20;
        streams = quick ? 20 : 1_000;
    }

    /** One section of what is measured. */
    @FunctionalInterface
    private interface Section {
        void measure(ObjectNode result) throws Exception;
    }

    /** Arguments: the folder for raw figures, {@code --quick}, and sections; none means all. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]).toAbsolutePath();
        Files.createDirectories(folder);
        List<String> wanted =
                Arrays.stream(arguments).skip(1).filter(a -> !a.startsWith("--")).toList();
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.start(
                        EmbeddedOptions.temporary()
                                .with(Map.of("min_wal_size", "2GB", "max_connections", "500")))) {
            var measurements =
                    new StopMeasurements(
                            folder,
                            List.of(arguments).contains("--quick"),
                            new TestServer(postgres.owner()));
            for (Map.Entry<String, Section> section : measurements.sections().entrySet()) {
                if (wanted.isEmpty() || wanted.contains(section.getKey())) {
                    measurements.measure(section.getKey(), section.getValue());
                }
            }
        }
    }

    private Map<String, Section> sections() {
        var sections = new java.util.LinkedHashMap<String, Section>();
        sections.put("idle", result -> healthy(result, 0));
        sections.put("load", result -> healthy(result, LOAD));
        sections.put("simulated", this::simulated);
        sections.put("unreachable", this::unreachable);
        sections.put("command", this::commands);
        sections.put("streams", this::streams);
        sections.put("resume", this::resume);
        sections.put("storm", this::storm);
        return sections;
    }

    private void measure(String name, Section section) throws Exception {
        ObjectNode result = mapper.createObjectNode();
        result.set("machine", Machine.facts(mapper, server));
        section.measure(result);
        mapper.writerWithDefaultPrettyPrinter()
                .writeValue(folder.resolve("stop-" + name + ".json").toFile(), result);
    }

    private Gate gate(int replicas) {
        Gate gate = Gate.on(server.fresh(), settings -> settings);
        try {
            for (int i = 0; i < replicas; i++) gate.add(String.valueOf((char) ('a' + i))).launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();
            return gate;
        } catch (RuntimeException | Error e) {
            gate.close();
            throw e;
        }
    }

    private void healthy(ObjectNode result, int perSecond) throws Exception {
        try (Gate gate = gate(2)) {
            OpenLoop.warmUp(gate.upstream());
            List<StopTrials.Given> given;
            if (perSecond == 0) {
                given = StopTrials.run(gate, WARM_UPS, trials, HELD);
            } else {
                Loaded loaded = Loaded.start(gate, perSecond);
                given = StopTrials.run(gate, WARM_UPS, trials, HELD);
                load(result, loaded.end(), perSecond);
                result.put("lateAtUpstream", late(gate, given));
            }
            put(result, given);
            print("stop at " + perSecond + "/s", result);
        }
    }

    /** A load that runs beside the trials. */
    private record Loaded(Load load, AtomicBoolean enough) {
        static Loaded start(Gate gate, int perSecond) {
            var enough = new AtomicBoolean();
            Load load =
                    Load.start(
                            () ->
                                    new OpenLoop(gate.port(), StopMeasurements::request)
                                            .run(perSecond, Duration.ofMinutes(5), enough::get));
            Await.until("the load runs", () -> gate.upstream().count() > perSecond);
            return new Loaded(load, enough);
        }

        OpenLoop.Outcome end() {
            enough.set(true);
            return load.outcome();
        }
    }

    private static byte[] request(int i) {
        return i % 2 == 0
                ? Requests.toolCall(Settings.KEY, "tools", "echo", i)
                : Requests.http(Settings.OTHER_KEY, "GET", "/http/api/users/" + i, "");
    }

    private static void load(ObjectNode result, OpenLoop.Outcome outcome, int perSecond) {
        ObjectNode load = result.putObject("load");
        load.put("wanted", perSecond);
        load.put("perSecond", outcome.answered() * 1e9 / outcome.took().toNanos());
        load.put("failed", outcome.failed());
        ObjectNode decisions = load.putObject("decisions");
        outcome.micros().forEach((d, h) -> decisions.put(d, h.getTotalCount()));
    }

    /** Calls that reached the upstream between a confirmed stop and its end, 20 ms apart. */
    private static long late(Gate gate, List<StopTrials.Given> given) {
        return gate.upstream().arrivals().stream()
                .filter(
                        arrival ->
                                given.stream()
                                        .anyMatch(
                                                g ->
                                                        arrival.atNanos()
                                                                        > g.confirmed() + 20_000_000
                                                                && arrival.atNanos()
                                                                        < g.resumeSent()))
                .count();
    }

    private void put(ObjectNode result, List<StopTrials.Given> given) {
        ArrayNode list = result.putArray("trials");
        for (StopTrials.Given each : given) {
            ObjectNode trial = list.addObject();
            trial.put("result", each.result()).put("recordedMicros", each.recordedMicros());
            trial.put("confirmedMicros", each.micros());
            ObjectNode answers = trial.putObject("answers");
            each.answers().forEach(a -> answers.put(a.replica() + " " + a.kind(), a.micros()));
        }
        long wrong = given.stream().filter(g -> !g.result().equals("CONFIRMED/CONFIRMED")).count();
        result.put("notConfirmed", wrong);
        times(result, "recorded", given.stream().mapToLong(StopTrials.Given::recordedMicros));
        times(result, "confirmed", given.stream().mapToLong(StopTrials.Given::micros));
    }

    /** Count, median, 90th percentile and highest of times in microseconds. */
    private static void times(ObjectNode result, String name, LongStream micros) {
        long[] sorted = micros.sorted().toArray();
        ObjectNode node = result.putObject(name);
        node.put("count", sorted.length);
        if (sorted.length == 0) return;
        node.put("p50Micros", sorted[(sorted.length - 1) / 2]);
        node.put("p90Micros", sorted[(sorted.length * 9 - 1) / 10]);
        node.put("maxMicros", sorted[sorted.length - 1]);
    }

    private static void print(String what, ObjectNode result) {
        for (String name : List.of("recorded", "confirmed")) {
            System.out.println(what + ", " + name + ": " + result.path(name));
        }
    }

    /** Replicas of which nothing runs but the control bus, all in one process. */
    private void simulated(ObjectNode result) throws Exception {
        int count = 100;
        try (TestDatabase database = server.fresh();
                Gate gate = Gate.on(database, settings -> settings)) {
            TestReplica.makeRevision(database);
            List<TestReplica> replicas = new ArrayList<>();
            try {
                for (int i = 0; i < count; i++) {
                    var replica = new TestReplica("r" + i, database.gateway());
                    replicas.add(replica);
                    replica.start();
                }
                for (TestReplica replica : replicas) Await.until("opens", replica::admits);
                List<StopTrials.Given> given =
                        StopTrials.run(gate, WARM_UPS, trials, Duration.ofMillis(200));
                result.put("replicas", count);
                put(result, given);
                print(count + " control buses", result);
            } finally {
                close(replicas);
            }
        }
    }

    private static void close(List<TestReplica> replicas) throws InterruptedException {
        List<Thread> closing = new ArrayList<>();
        for (TestReplica replica : replicas) {
            closing.add(Thread.ofPlatform().start(replica::close));
        }
        for (Thread thread : closing) thread.join();
    }

    /** One of two replicas is cut off from Postgres, under load. */
    private void unreachable(ObjectNode result) throws Exception {
        ArrayNode list = result.putArray("trials");
        TestDatabase database = server.fresh();
        URI url = URI.create(database.gateway().url().substring("jdbc:".length()));
        try (Tap tap = Tap.to(url.getHost(), url.getPort(), Tap.State.OPEN);
                Gate gate = Gate.on(database, settings -> settings)) {
            gate.add("a").launch();
            gate.add(
                            Replica.of(
                                    "b",
                                    gate.settings()
                                            .copy()
                                            .database(
                                                    Settings.through(
                                                            database.gateway(), tap.port()))))
                    .launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();
            OpenLoop.warmUp(gate.upstream());
            Loaded loaded = Loaded.start(gate, LOAD);
            for (int i = 0; i < Math.max(2, commands / 2); i++) {
                cutOff(gate, tap, list.addObject(), i);
            }
            load(result, loaded.end(), LOAD);
        }
        List<com.fasterxml.jackson.databind.JsonNode> all = new ArrayList<>();
        list.forEach(all::add);
        times(
                result,
                "lastSend",
                all.stream().mapToLong(t -> t.path("lastSendMicrosAfterOrder").asLong()));
        times(result, "exit", all.stream().mapToLong(t -> t.path("exitMicrosAfterOrder").asLong()));
        System.out.println("unreachable: last send " + result.path("lastSend"));
        System.out.println("unreachable: exit " + result.path("exit"));
    }

    /** Cut off at various moments of the lease before the order. */
    private static void cutOff(Gate gate, Tap tap, ObjectNode trial, int number) {
        Await.pause(Duration.ofMillis(1_000));
        tap.turn(Tap.State.FROZEN);
        Await.pause(Duration.ofMillis(number * 37L % 300));
        long wallBefore = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
        String report = gate.launched("stop", "--all", "--reason", "measured", "--json");
        long ended = System.nanoTime();
        Await.pause(Duration.ofMillis(500));
        // The order's own time, taken by the database within the transaction: before the commit.
        long ordered =
                gate.number(
                                        "select (extract(epoch from max(given_at)) *"
                                                + " 1000000)::bigint from penstock.stop")
                                * 1_000
                        - wallBefore;
        long last =
                gate.upstream().arrivals().stream()
                        .mapToLong(Upstream.Arrival::atNanos)
                        .max()
                        .orElse(ordered);
        trial.put("lastSendMicrosAfterOrder", (last - ordered) / 1_000);
        trial.put("exitMicrosAfterOrder", (ended - ordered) / 1_000);
        trial.put("fenced", report.contains("fenced"));
        tap.turn(Tap.State.OPEN);
        Await.until(
                "b has read the stop",
                () -> Gate.call(gate.replica(1).port(), request(0)).decision().equals("stopped"));
        gate.upstream().forget();
        gate.operate("resume", "--all", "--reason", "measured");
        for (Replica replica : gate.replicas()) {
            Gate.awaitAdmitted(replica.port(), request(0));
        }
    }

    /** The command itself and psql, from the start of their processes to their ends. */
    private void commands(ObjectNode result) throws Exception {
        try (Gate gate = gate(2)) {
            gate.launched("stop", "--all", "--reason", "measured");
            gate.operate("resume", "--all", "--reason", "measured");
            ArrayNode list = result.putArray("command");
            for (int i = 0; i < commands; i++) {
                ObjectNode trial = list.addObject();
                long began = System.nanoTime();
                String report = gate.launched("stop", "--all", "--reason", "measured", "--json");
                trial.put("micros", (System.nanoTime() - began) / 1_000);
                trial.set("report", mapper.readTree(report.substring(report.indexOf('{'))));
                gate.operate("resume", "--all", "--reason", "measured");
            }
            times(result, "whole", micros(list));
            times(result, "acknowledged", acknowledged(list));
            ArrayNode psql = result.putArray("psqlTrials");
            for (int i = 0; i < commands; i++) {
                long began = System.nanoTime();
                gate.psql("call penstock.stop_and_wait('all', null, 'measured')");
                psql.addObject().put("micros", (System.nanoTime() - began) / 1_000);
                gate.operate("resume", "--all", "--reason", "measured");
            }
            times(result, "psql", micros(psql));
            for (String name : List.of("whole", "acknowledged", "psql")) {
                System.out.println("command, " + name + ": " + result.path(name));
            }
        }
    }

    private static LongStream micros(ArrayNode list) {
        LongStream.Builder micros = LongStream.builder();
        list.forEach(trial -> micros.add(trial.path("micros").asLong()));
        return micros.build();
    }

    private static LongStream acknowledged(ArrayNode list) {
        LongStream.Builder micros = LongStream.builder();
        for (var trial : list) {
            double last = 0;
            for (var replica : trial.path("report").path("replicas")) {
                last = Math.max(last, replica.path("afterMillis").asDouble());
            }
            micros.add((long) (last * 1_000));
        }
        return micros.build();
    }

    /** A stop of everything while many streams are open. */
    private void streams(ObjectNode result) throws Exception {
        ArrayNode list = result.putArray("rounds");
        try (Gate gate = gate(2)) {
            for (int round = 0; round < 5; round++) {
                streams(gate, list.addObject());
            }
        }
        List<com.fasterxml.jackson.databind.JsonNode> all = new ArrayList<>();
        list.forEach(all::add);
        times(result, "lastCut", all.stream().mapToLong(r -> r.path("lastCutMicros").asLong()));
        times(result, "confirmed", all.stream().mapToLong(r -> r.path("confirmedMicros").asLong()));
        System.out.println("streams: last cut " + result.path("lastCut"));
        System.out.println("streams: confirmed " + result.path("confirmed"));
    }

    private void streams(Gate gate, ObjectNode round) throws Exception {
        var ended = new CountDownLatch(streams);
        var last = new AtomicLong();
        var wrong = new AtomicLong();
        List<Wire> open = new ArrayList<>();
        try {
            for (int i = 0; i < streams; i++) {
                Wire wire = StopIT.stream(gate.replica(i % 2).port(), Settings.KEY, "calm", i);
                open.add(wire);
                Thread.ofVirtual().start(() -> follow(wire, last, wrong, ended));
            }
            Await.pause(Duration.ofSeconds(1));
            StopTrials.Given given = StopTrials.run(gate, 0, 1, Duration.ofMillis(500)).getFirst();
            ended.await();
            round.put("streams", streams).put("result", given.result());
            round.put("withoutRefusal", wrong.get());
            round.put("lastCutMicros", (last.get() - given.recorded()) / 1_000);
            round.put("recordedMicros", given.recordedMicros());
            round.put("confirmedMicros", given.micros());
        } finally {
            open.forEach(Wire::close);
        }
    }

    private static void follow(Wire wire, AtomicLong last, AtomicLong wrong, CountDownLatch ended) {
        try {
            if (!StopIT.untilTheEnd(wire).contains("-33003")) wrong.incrementAndGet();
        } catch (IOException e) {
            wrong.incrementAndGet();
        }
        last.accumulateAndGet(System.nanoTime(), Math::max);
        ended.countDown();
    }

    /** From sending the order to lift a stop to an admitted call at each replica. */
    private void resume(ObjectNode result) throws Exception {
        try (Gate gate = gate(2)) {
            List<Prober> probers =
                    gate.replicas().stream().map(replica -> Prober.start(replica.port())).toList();
            List<StopTrials.Given> given = StopTrials.run(gate, 5, trials / 2, HELD);
            Await.pause(Duration.ofMillis(500));
            List<List<Long>> admitted = probers.stream().map(Prober::end).toList();
            times(
                    result,
                    "service",
                    given.stream()
                            .mapToLong(
                                    g ->
                                            admitted.stream()
                                                    .mapToLong(a -> first(a, g.resumeSent()))
                                                    .max()
                                                    .orElseThrow()));
            put(result, given);
            System.out.println("resume to service: " + result.path("service"));
        }
    }

    /** Admission beside a control plane at its busiest, and without; in turn, in one run. */
    private void storm(ObjectNode result) throws Exception {
        ArrayNode rounds = result.putArray("rounds");
        Duration round = quick ? Duration.ofSeconds(2) : Duration.ofSeconds(12);
        try (Gate gate = gate(2)) {
            new OpenLoop(gate.port(), StopMeasurements::request).run(STORM_LOAD, round);
            for (int i = 0; i < 3; i++) {
                admissions(rounds.addObject().put("storm", false), gate, round);
                try (ControlStorm storm =
                        ControlStorm.start(gate.database(), ControlStorm.Strength.WHOLE)) {
                    Await.pause(Duration.ofSeconds(1));
                    ObjectNode stormy = rounds.addObject().put("storm", true);
                    admissions(stormy, gate, round);
                    stormy.put("beatsPerSecond", storm.beatsPerSecond());
                    stormy.put("changesPerSecond", storm.changesPerSecond());
                    System.out.println(stormy);
                }
                gate.operate("resume", "--all", "--reason", "measured");
            }
        }
        result.put("perSecond", STORM_LOAD).put("replicas", ControlStorm.REPLICAS);
        result.put("stops", ControlStorm.STOPS).put("changes", ControlStorm.CHANGES);
    }

    private static void admissions(ObjectNode round, Gate gate, Duration length) {
        OpenLoop.Outcome outcome =
                new OpenLoop(gate.port(), StopMeasurements::request).run(STORM_LOAD, length);
        load(round, outcome, STORM_LOAD);
        var admitted = outcome.micros().get("admitted");
        if (admitted == null) return;
        round.put("p50Micros", admitted.getValueAtPercentile(50));
        round.put("p99Micros", admitted.getValueAtPercentile(99));
        round.put("maxMicros", admitted.getMaxValue());
        System.out.println(round);
    }

    private static long first(List<Long> admitted, long after) {
        return admitted.stream()
                                .mapToLong(Long::longValue)
                                .filter(at -> at > after)
                                .min()
                                .orElseThrow()
                        / 1_000
                - after / 1_000;
    }

    /** One client that calls again as soon as it has an answer. */
    private record Prober(AtomicBoolean enough, List<Long> admitted, Thread thread) {
        static Prober start(int port) {
            var enough = new AtomicBoolean();
            List<Long> admitted = new ArrayList<>();
            Thread thread = Thread.ofPlatform().start(() -> call(port, enough, admitted));
            return new Prober(enough, admitted, thread);
        }

        private static void call(int port, AtomicBoolean enough, List<Long> admitted) {
            try (Wire wire = Wire.open(port)) {
                for (int i = 0; !enough.get(); i++) {
                    if (wire.call(Requests.toolCall(Settings.KEY, "tools", "echo", i))
                            .decision()
                            .equals("admitted")) {
                        admitted.add(System.nanoTime());
                    }
                    Await.pause(Duration.ofMillis(1));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        List<Long> end() {
            enough.set(true);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            return admitted;
        }
    }
}
