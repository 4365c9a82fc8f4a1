package io.penstock.cli.demo;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Sends more calls than a budget allows, over many connections at once, within one window, and
 * counts what each replica did with them.
 */
public final class Overload {
    /** A window with less left than this would end in the middle of the calls. */
    private static final int SECONDS_NEEDED = 3;

    private static final String BODY =
            """
            {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}\
            """;

    private final URI uri;
    private final Map<String, String> headers;
    private final int connections;
    private final AtomicInteger ids = new AtomicInteger();

    /**
     * @param uri of the MCP endpoint at the gateway
     * @param key the agent's API key
     * @param connections open at once
     */
    public Overload(URI uri, String key, int connections) {
        this.uri = uri;
        this.connections = connections;
        this.headers =
                Map.of(
                        "Authorization",
                        "Bearer " + key,
                        "Content-Type",
                        "application/json",
                        "Accept",
                        "application/json, text/event-stream");
    }

    /** What one replica did. */
    public static final class Share {
        private int admitted;
        private int refused;
        private int failed;

        public int calls() {
            return admitted + refused + failed;
        }

        public int admitted() {
            return admitted;
        }

        public int refused() {
            return refused;
        }

        /** Neither admitted nor refused: a broken connection, or a refusal that is no budget's. */
        public int failed() {
            return failed;
        }
    }

    /**
     * What came of it.
     *
     * @param budget the tightest budget, empty where the gateway named none
     * @param window its length in seconds
     * @param limit of that budget
     * @param shares by replica
     * @param codes of refusals, with their numbers
     */
    public record Report(
            String budget,
            long window,
            long limit,
            Map<String, Share> shares,
            Map<String, Integer> codes,
            long elapsedMillis) {

        public int admitted() {
            return shares.values().stream().mapToInt(Share::admitted).sum();
        }

        public int calls() {
            return shares.values().stream().mapToInt(Share::calls).sum();
        }

        /** Whether exactly the limit was admitted. */
        public boolean exact() {
            return !budget.isEmpty() && admitted() == limit;
        }
    }

    /**
     * Waits for a fresh window, then sends.
     *
     * @param perLimit how many times the limit is asked for
     * @param progress told what is being waited for
     * @throws IOException if the gateway does not answer
     */
    public Report run(int perLimit, Consumer<String> progress)
            throws IOException, InterruptedException {
        Map<String, Share> shares = new TreeMap<>();
        Map<String, Integer> codes = new TreeMap<>();
        RateHeaders rate = fresh(shares, codes, progress);
        int calls = (int) Math.min(100_000, rate.limit() * perLimit) - total(shares);
        progress.accept("sending %d more calls over %d connections".formatted(calls, connections));
        long began = System.nanoTime();
        send(calls, shares, codes);
        long elapsed = (System.nanoTime() - began) / 1_000_000;
        return new Report(
                rate.budget(), rate.windowSeconds(), rate.limit(), shares, codes, elapsed);
    }

    /** Leaves a window in which no call but ours was made, and long enough for all of them. */
    private RateHeaders fresh(
            Map<String, Share> shares, Map<String, Integer> codes, Consumer<String> progress)
            throws IOException, InterruptedException {
        for (int attempt = 0; ; attempt++) {
            CallConnection.Answer answer = once();
            Optional<RateHeaders> found =
                    RateHeaders.of(answer.header("RateLimit"), answer.header("RateLimit-Policy"));
            if (found.isEmpty()) {
                throw new IOException(
                        "no budget applies to this call: the answer (status "
                                + answer.status()
                                + ") has no RateLimit header: "
                                + answer.body());
            }
            RateHeaders rate = found.get();
            boolean untouched = rate.remaining() == rate.limit() - 1;
            boolean roomy =
                    rate.resetSeconds() >= Math.min(SECONDS_NEEDED, rate.windowSeconds() - 1);
            if (attempt >= 3 || (untouched && roomy)) {
                count(answer, shares, codes);
                return rate;
            }
            progress.accept("waiting %d s for the next window".formatted(rate.resetSeconds() + 1));
            Thread.sleep((rate.resetSeconds() + 1) * 1_000);
        }
    }

    private CallConnection.Answer once() throws IOException {
        try (CallConnection connection = CallConnection.open(uri)) {
            return connection.post(headers, body());
        }
    }

    private String body() {
        return BODY.formatted(ids.incrementAndGet());
    }

    private void send(int calls, Map<String, Share> shares, Map<String, Integer> codes)
            throws InterruptedException {
        AtomicInteger left = new AtomicInteger(calls);
        CountDownLatch ready = new CountDownLatch(connections);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            threads.add(Thread.ofVirtual().start(() -> sendOn(left, ready, shares, codes)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void sendOn(
            AtomicInteger left,
            CountDownLatch ready,
            Map<String, Share> shares,
            Map<String, Integer> codes) {
        try (CallConnection connection = CallConnection.open(uri)) {
            ready.countDown();
            ready.await();
            while (left.getAndDecrement() > 0) {
                CallConnection.Answer answer = connection.post(headers, body());
                synchronized (shares) {
                    count(answer, shares, codes);
                }
            }
        } catch (IOException e) {
            ready.countDown();
            synchronized (shares) {
                shares.computeIfAbsent("(no answer)", _ -> new Share()).failed++;
                codes.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void count(
            CallConnection.Answer answer, Map<String, Share> shares, Map<String, Integer> codes) {
        String replica = answer.header("Penstock-Replica");
        String decision = String.valueOf(answer.header("Penstock-Decision"));
        Share share =
                shares.computeIfAbsent(replica == null ? "(unnamed)" : replica, _ -> new Share());
        switch (decision) {
            case "admitted" -> share.admitted++;
            case "budget-exhausted", "budget-held" -> share.refused++;
            default -> share.failed++;
        }
        if (!decision.equals("admitted")) {
            codes.merge(decision, 1, Integer::sum);
        }
    }

    private static int total(Map<String, Share> shares) {
        return shares.values().stream().mapToInt(Share::calls).sum();
    }
}
