package io.penstock.e2e;

import java.io.IOException;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Sends calls at an even rate, whether or not the earlier ones have been answered, and takes each
 * latency from the time at which the call was *meant* to leave. At most {@link #IN_FLIGHT} calls
 * are under way; waiting behind that bound counts as latency.
 */
final class OpenLoop {
    static final int IN_FLIGHT = 512;

    private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(1);

    /**
     * What came back.
     *
     * @param micros latency by decision ({@code admitted}, a refusal code, or {@code none})
     * @param sent every call that was answered
     * @param failures calls that got no answer, in words; at most the first hundred
     */
    record Outcome(
            Map<String, Histogram> micros,
            List<Sent> sent,
            long failed,
            Queue<String> failures,
            Duration took) {
        long count(String decision) {
            Histogram histogram = micros.get(decision);
            return histogram == null ? 0 : histogram.getTotalCount();
        }

        long answered() {
            return micros.values().stream().mapToLong(Histogram::getTotalCount).sum();
        }

        /** One line for people. */
        String line(String decision) {
            Histogram histogram = micros.get(decision);
            if (histogram == null) return decision + " n=0";
            return "%s n=%d p50=%.2f p90=%.2f p99=%s p99.9=%s max=%.2f ms"
                    .formatted(
                            decision,
                            histogram.getTotalCount(),
                            millis(histogram, 50),
                            millis(histogram, 90),
                            histogram.getTotalCount() >= 500
                                    ? "%.2f".formatted(millis(histogram, 99))
                                    : "n/a",
                            histogram.getTotalCount() >= 5_000
                                    ? "%.2f".formatted(millis(histogram, 99.9))
                                    : "n/a",
                            histogram.getMaxValue() / 1_000.0);
        }

        static double millis(Histogram histogram, double percentile) {
            return histogram.getValueAtPercentile(percentile) / 1_000.0;
        }
    }

    /**
     * One call that was answered.
     *
     * @param call the id that the gateway gave it, or {@code none}
     * @param departed when it left, in nanoseconds of this process
     * @param answered when the whole answer was here
     */
    record Sent(String call, String decision, long departed, long answered) {
        /** Whether the gate refused it because it could not decide, which no test asks it to. */
        boolean undecided() {
            return Gate.OF_A_BUSY_MACHINE.contains(decision);
        }
    }

    private final int port;
    private final IntFunction<byte[]> requests;
    private final Deque<Wire> idle = new ConcurrentLinkedDeque<>();
    private final Map<String, Histogram> micros = new ConcurrentHashMap<>();
    private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final LongAdder failed = new LongAdder();

    /**
     * @param requests the bytes of the n-th request
     */
    OpenLoop(int port, IntFunction<byte[]> requests) {
        this.port = port;
        this.requests = requests;
    }

    /**
     * Runs the driver's own code warm against the upstream itself, whose count begins anew
     * afterwards.
     */
    static void warmUp(Upstream upstream) {
        new OpenLoop(upstream.port(), i -> Requests.toolCall("nobody", "tools", "echo", i))
                .run(1_000, Duration.ofSeconds(2));
        upstream.forget();
    }

    Outcome run(int perSecond, Duration duration) {
        return run(perSecond, duration, () -> false);
    }

    /** Sends until it is enough, for {@code longest} at most. */
    Outcome run(int perSecond, Duration longest, BooleanSupplier enough) {
        long gap = TimeUnit.SECONDS.toNanos(1) / perSecond;
        int calls = Math.toIntExact(longest.toNanos() / gap);
        var free = new Semaphore(IN_FLIGHT);
        long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5);
        for (int i = 0; i < calls && !enough.getAsBoolean(); i++) {
            long intended = start + i * gap;
            sleepUntil(intended);
            free.acquireUninterruptibly();
            int index = i;
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    call(index, intended);
                                } finally {
                                    free.release();
                                }
                            });
        }
        awaitAll(free);
        idle.forEach(Wire::close);
        return new Outcome(
                micros,
                List.copyOf(sent),
                failed.sum(),
                failures,
                Duration.ofNanos(System.nanoTime() - start));
    }

    private static void sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void awaitAll(Semaphore free) {
        try {
            if (!free.tryAcquire(IN_FLIGHT, 2, TimeUnit.MINUTES)) {
                throw new AssertionError(
                        IN_FLIGHT - free.availablePermits() + " calls have no answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private void call(int index, long intended) {
        try {
            long departed = System.nanoTime();
            Wire.Answer answer = exchange(requests.apply(index));
            long answered = System.nanoTime();
            String call = answer.header("Penstock-Call").orElse("none");
            sent.add(new Sent(call, answer.decision(), departed, answered));
            long latency = (answered - intended) / 1_000;
            micros.computeIfAbsent(
                            answer.decision(), d -> new ConcurrentHistogram(HIGHEST_MICROS, 3))
                    .recordValue(Math.clamp(latency, 1, HIGHEST_MICROS));
            if (answer.decision().equals("none")) {
                failure("status " + answer.status() + ": " + answer.text());
            }
        } catch (IOException e) {
            failed.increment();
            failure(e.toString());
        }
    }

    private void failure(String what) {
        if (failures.size() < 100) failures.add(what);
    }

    private Wire.Answer exchange(byte[] request) throws IOException {
        Wire wire = idle.pollFirst();
        if (wire == null) wire = Wire.open(port);
        boolean keep = false;
        try {
            Wire.Answer answer = wire.call(request);
            keep = !answer.header("Connection").orElse("").equalsIgnoreCase("close");
            return answer;
        } finally {
            if (keep) idle.offerFirst(wire);
            else wire.close();
        }
    }
}
