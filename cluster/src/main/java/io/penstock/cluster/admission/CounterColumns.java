package io.penstock.cluster.admission;

import io.penstock.budget.Counter;
import io.penstock.budget.Window;
import org.jspecify.annotations.Nullable;

/**
 * What the ledger must be told of counters to read them: kind, length and limit, one column each.
 */
final class CounterColumns {
    /** A window that never ends has number 0 now and always. */
    private static final long ENDLESS_MICROS = 1L << 62;

    private final long[] limits;
    private final long[] micros;
    private final int[] kinds;
    private final long[] bursts;
    private final @Nullable String[] zones;
    private int count;
    private boolean plain = true;

    CounterColumns(int counters) {
        limits = new long[counters];
        micros = new long[counters];
        kinds = new int[counters];
        bursts = new long[counters];
        zones = new String[counters];
    }

    void add(Counter counter) {
        int at = count++;
        limits[at] = counter.limit();
        switch (counter.budget().window()) {
            case Window.Fixed fixed -> micros[at] = fixed.micros();
            case Window.Lifetime _, Window.Open _ -> micros[at] = ENDLESS_MICROS;
            case Window.Calendar calendar -> {
                kinds[at] = 1 + calendar.span().ordinal();
                zones[at] = calendar.zone().getId();
                micros[at] = 1;
            }
            case Window.Session session -> {
                kinds[at] = 4;
                micros[at] = session.idleMicros();
            }
            case Window.Sliding sliding -> {
                kinds[at] = 5;
                micros[at] = sliding.granuleMicros();
            }
            case Window.Rate rate -> {
                kinds[at] = 6;
                micros[at] = rate.periodMicros();
                bursts[at] = rate.burst();
            }
        }
        plain &= kinds[at] == 0;
    }

    /** Whether all are numbered windows, which needs no kinds. */
    boolean plain() {
        return plain;
    }

    long[] limits() {
        return limits;
    }

    long[] micros() {
        return micros;
    }

    int[] kinds() {
        return kinds;
    }

    long[] bursts() {
        return bursts;
    }

    @Nullable String[] zones() {
        return zones;
    }
}
