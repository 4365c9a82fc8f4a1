package io.penstock.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many threads count while one takes spans away: the sums come out exact. */
class RefusalTallyRaceTest {
    private static final int THREADS = 6;
    private static final int EACH = 60_000;

    @Test
    void count_whileSpansAreTaken_losesNothing() throws Exception {
        AtomicLong clock = new AtomicLong();
        JournalLimits limits = new JournalLimits(100, 10, 1, 10, 2, 50, 5, 4);
        RefusalTally tally = new RefusalTally(limits, clock::incrementAndGet);
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1)) {
            Future<Long> taker = threads.submit(() -> take(tally, done));
            List<Future<?>> counters = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                counters.add(threads.submit(() -> count(tally)));
            }
            for (Future<?> counter : counters) {
                counter.get();
            }
            done.set(true);

            assertThat(taker.get()).isEqualTo((long) THREADS * EACH);
        }
    }

    private static void count(RefusalTally tally) {
        for (int i = 0; i < EACH; i++) {
            tally.count(
                    new RefusalEntry(
                            new UUID(1, i),
                            new Subject("t", "a" + i % 9, "s", "x", null),
                            "stopped",
                            null));
        }
    }

    private static long take(RefusalTally tally, AtomicBoolean done) {
        long sum = 0;
        boolean last = false;
        while (true) {
            sum += tally.singles().size();
            for (Tally ended : tally.ended(last)) {
                sum += ended.rows().stream().mapToLong(Tally.Row::count).sum();
            }
            if (last && tally.settled()) {
                return sum + tally.singles().size();
            }
            last = done.get();
        }
    }
}
