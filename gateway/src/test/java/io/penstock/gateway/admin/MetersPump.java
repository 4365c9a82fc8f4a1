package io.penstock.gateway.admin;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** What one observation costs: {@code MetersPump threads rounds}. */
final class MetersPump {
    private static final int CALLS = 5_000_000;

    private MetersPump() {}

    public static void main(String[] args) throws Exception {
        long boot = System.nanoTime();
        Meters meters = new Meters(List.of("files", "mail"));
        log("boot-ms=%.1f", (System.nanoTime() - boot) / 1e6);
        long scrape = System.nanoTime();
        meters.scrape();
        log("first-scrape-ms=%.1f", (System.nanoTime() - scrape) / 1e6);
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            Thread[] threads = new Thread[Integer.parseInt(args[0])];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = Thread.ofPlatform().start(() -> run(meters));
            }
            for (Thread each : threads) {
                each.join();
            }
        }
    }

    private static void run(Meters meters) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = threads.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            meters.decided("admitted", "files", 1_000_000 + i % 1000 * 1000);
        }
        long decided = System.nanoTime() - start;
        start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            meters.admissionTook(1_000_000 + i % 1000 * 1000);
        }
        long admission = System.nanoTime() - start;
        log(
                "decided-ns=%.0f admission-ns=%.0f bytes-each=%.2f",
                (double) decided / CALLS,
                (double) admission / CALLS,
                (threads.getCurrentThreadAllocatedBytes() - bytes) / 2.0 / CALLS);
    }

    private static void log(String format, Object... values) {
        System.getLogger("pump")
                .log(System.Logger.Level.INFO, String.format(Locale.ROOT, format, values));
    }
}
