package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Senders against the one who publishes newer states and acknowledges each once the older ones are
 * quiet. Long enough that a section without its second read, or a count that reads {@code entered}
 * first, is caught within a fraction of the time; tried by taking each out.
 *
 * <p>By brute force: Lincheck does not switch threads inside a {@code LongAdder}.
 */
class SendSectionRaceTest {
    private static final long RUN_NANOS = 1_000_000_000L;
    private static final int SENDERS = 3;

    @Test
    void enter_statesAcknowledgedMeanwhile_neverGivesAnOlderOne() throws InterruptedException {
        ControlView view = new ControlView(state(1));
        AtomicLong acknowledged = new AtomicLong(1);
        AtomicLong violations = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        Runnable sender =
                () -> {
                    while (!over.get()) {
                        Snapshot mine = view.enter();
                        if (mine.epoch() < acknowledged.get()) {
                            violations.incrementAndGet();
                        }
                        mine.leave();
                    }
                };
        Runnable stopper =
                () -> {
                    long started = System.nanoTime();
                    while (System.nanoTime() - started < RUN_NANOS) {
                        Snapshot older = view.current();
                        view.publish(state(older.epoch() + 1));
                        while (!older.quiet()) {
                            Thread.onSpinWait();
                        }
                        acknowledged.set(older.epoch() + 1);
                    }
                    over.set(true);
                };

        run(sender, stopper);

        assertThat(violations).hasValue(0);
        assertThat(acknowledged).hasValueGreaterThan(100);
    }

    @Test
    void quiet_oneStaysInsideWhileOthersMove_isNeverTrue() throws InterruptedException {
        Snapshot state = state(1);
        AtomicLong quiet = new AtomicLong();
        AtomicLong looks = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        state.enter();
        Runnable mover =
                () -> {
                    // The next one enters before the last one leaves: somebody is always inside.
                    while (!over.get()) {
                        state.enter();
                        state.leave();
                    }
                };
        Runnable looker =
                () -> {
                    long started = System.nanoTime();
                    while (System.nanoTime() - started < RUN_NANOS) {
                        quiet.addAndGet(state.quiet() ? 1 : 0);
                        looks.incrementAndGet();
                    }
                    over.set(true);
                };

        run(mover, looker);

        assertThat(quiet).hasValue(0);
        assertThat(looks).hasValueGreaterThan(1000);
        state.leave();
        assertThat(state.quiet()).isTrue();
    }

    private static void run(Runnable several, Runnable one) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            threads.add(Thread.ofPlatform().start(several));
        }
        threads.add(Thread.ofPlatform().start(one));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static Snapshot state(long epoch) {
        return ControlStates.with(epoch, List.of(), Map.of(), List.of(), List.of(), 0);
    }
}
