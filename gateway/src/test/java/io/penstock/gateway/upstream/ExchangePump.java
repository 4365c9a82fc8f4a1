package io.penstock.gateway.upstream;

import static io.penstock.gateway.socket.TestPollers.SHARED;

import io.penstock.gateway.http.HeaderBlock;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many exchanges one process can make with a server, and what one costs: {@code ExchangePump
 * URL callers seconds rounds}. Each caller is a virtual thread that makes one after the other.
 */
final class ExchangePump {
    private ExchangePump() {}

    public static void main(String[] args) throws Exception {
        URI url = URI.create(args[0]);
        int callers = Integer.parseInt(args[1]);
        int seconds = Integer.parseInt(args[2]);
        int rounds = Integer.parseInt(args[3]);
        byte[] body =
                ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                                + "\"echo\",\"arguments\":{\"text\":\"hello\"}}}")
                        .getBytes(StandardCharsets.UTF_8);
        try (PooledUpstream upstream =
                new PooledUpstream(
                        SHARED,
                        Exchanges.config(url, java.util.Map.of(), null, 1024),
                        System::nanoTime)) {
            for (int round = 0; round < rounds; round++) {
                run(upstream, url.getPath(), callers, seconds, body);
            }
        }
    }

    private static void run(
            PooledUpstream upstream, String path, int callers, int seconds, byte[] body)
            throws InterruptedException {
        AtomicLong done = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(callers);
        long start = System.nanoTime();
        long cpu = cpuNanos();
        long end = start + seconds * 1_000_000_000L;
        for (int i = 0; i < callers; i++) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    done.addAndGet(call(upstream, path, body, end));
                                } finally {
                                    ended.countDown();
                                }
                            });
        }
        ended.await();
        double elapsed = (System.nanoTime() - start) / 1e9;
        System.getLogger("pump")
                .log(
                        System.Logger.Level.INFO,
                        String.format(
                                Locale.ROOT,
                                "exchanges/s=%.0f cpu-us-each=%.1f connections=%d",
                                done.get() / elapsed,
                                (cpuNanos() - cpu) / 1e3 / done.get(),
                                upstream.openConnections()));
    }

    private static long call(PooledUpstream upstream, String path, byte[] body, long end) {
        byte[] into = new byte[8192];
        long count = 0;
        while (System.nanoTime() - end < 0) {
            Upstream.Permission.Granted permission =
                    (Upstream.Permission.Granted) upstream.permit();
            HeaderBlock headers =
                    new HeaderBlock()
                            .add("Accept", "application/json, text/event-stream")
                            .add("Content-Type", "application/json")
                            .add("Penstock-Call", "019b2c5e-7d2f-7c1e-9f7e-0d6c1f2a3b4c")
                            .add("Penstock-Epoch", "12")
                            .add("Penstock-Not-After", "1796000000000");
            Exchange exchange = upstream.open();
            exchange.prepare("POST", path, headers, body);
            exchange.sendFirst();
            exchange.sendRest(() -> true);
            int status = exchange.readHead();
            while (exchange.read(into, 0, into.length) >= 0) {
                continue;
            }
            exchange.finish();
            permission.answered(status, 1_000_000);
            count++;
        }
        return count;
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean)
                        java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
