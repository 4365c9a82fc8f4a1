package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What windows promise, over random histories of the model that the database is compared with:
 * never over in any interval, and never further below than the bound that is stated.
 */
final class CounterRowPropertyTest {
    private static final long START = 1_800_000_000_000_000L;
    private static final int HISTORIES = Depth.of("penstock.histories", 200, 20_000);

    private final Random seeds = new Random(Long.getLong("penstock.seed", new Random().nextLong()));

    /** Units that were charged at a moment. */
    private record Charged(long at, long units) {}

    private static Counter counter(long limit, Window window) {
        return Counter.of(
                new Budget("w", Unit.CALLS, limit, window, Set.of(), null, null, Mode.ENFORCE),
                new Subject("t", "a", "s", "tool", "session"),
                false);
    }

    /** Charges what fits at moments that a seed chooses; the visitor sees each question. */
    private static List<Charged> history(Random random, Counter counter, long span, Visitor each) {
        CounterRow row = new CounterRow();
        List<Charged> charged = new ArrayList<>();
        long now = START + random.nextInt(1_000_000);
        for (int i = 0; i < 150; i++) {
            now += random.nextInt(4) == 0 ? random.nextLong(3 * span) : random.nextLong(span / 20);
            row.turn(counter, now);
            long room = row.room(counter, now);
            each.asked(now, room, charged);
            long asked = 1 + random.nextLong(counter.limit());
            long units = Math.min(asked, room);
            if (units > 0) {
                row.charge(counter, units, now);
                charged.add(new Charged(now, units));
            }
        }
        return charged;
    }

    private interface Visitor {
        void asked(long now, long room, List<Charged> before);
    }

    private static long sum(List<Charged> charged, long after, long until) {
        return charged.stream()
                .filter(c -> c.at() > after && c.at() <= until)
                .mapToLong(Charged::units)
                .sum();
    }

    @Test
    void sliding_anyInterval_holdsTheLimitAndAtMostOneGranuleLess() {
        for (int i = 0; i < HISTORIES; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            Window.Sliding window = new Window.Sliding(1_000L * (1_000 + random.nextInt(5_000)));
            Counter counter = counter(1 + random.nextInt(50), window);
            long granule = window.granuleMicros();

            List<Charged> charged =
                    history(
                            random,
                            counter,
                            window.micros(),
                            (now, room, before) ->
                                    assertThat(sum(before, now - window.micros() - granule, now))
                                            .as("what refuses is that young, seed %d", seed)
                                            .isGreaterThanOrEqualTo(counter.limit() - room));

            for (Charged last : charged) {
                assertThat(sum(charged, last.at() - window.micros(), last.at()))
                        .as("the interval that ends at %d, seed %d", last.at(), seed)
                        .isLessThanOrEqualTo(counter.limit());
            }
        }
    }

    /** Units times period against burst times period plus span times limit: whole numbers. */
    @Test
    void rate_anySpan_admitsAtMostTheBurstAndTheRate() {
        for (int i = 0; i < HISTORIES; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            Window.Rate window =
                    new Window.Rate(1_000L + random.nextInt(3_000_000), 1 + random.nextInt(30));
            Counter counter = counter(1 + random.nextInt(50), window);
            long period = window.periodMicros();

            List<Charged> charged = history(random, counter, period, (now, room, before) -> {});

            for (int from = 0; from < charged.size(); from++) {
                long units = 0;
                for (int to = from; to < charged.size(); to++) {
                    units += charged.get(to).units();
                    long span = charged.get(to).at() - charged.get(from).at();
                    assertThat(units * period)
                            .as("from %d to %d, seed %d", from, to, seed)
                            .isLessThanOrEqualTo(window.burst() * period + span * counter.limit());
                }
            }
        }
    }

    @Test
    void rate_afterASilence_admitsTheWholeBurst() {
        Window.Rate window = new Window.Rate(1_000_000, 7);
        Counter counter = counter(10, window);
        CounterRow row = new CounterRow();
        row.turn(counter, START);
        row.charge(counter, 7, START);

        for (long micros : new long[] {0, 99_999, 100_000, 699_999, 700_000, 9_000_000}) {
            row.turn(counter, START + micros);
            assertThat(row.room(counter, START + micros))
                    .as("after %d us", micros)
                    .isEqualTo(Math.min(7, micros / 100_000));
        }
    }

    /** Also where a day has 23 or 25 hours, or begins at one o'clock. */
    @Test
    void backMicros_isTheFirstMomentAtWhichMoreFits() {
        List<ZoneId> zones =
                List.of(
                        ZoneId.of("UTC"),
                        ZoneId.of("Europe/Berlin"),
                        ZoneId.of("America/Sao_Paulo"),
                        ZoneId.of("Australia/Lord_Howe"),
                        ZoneId.of("Asia/Beirut"),
                        ZoneId.of("Pacific/Apia"));
        for (int i = 0; i < HISTORIES; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            Window window =
                    switch (random.nextInt(4)) {
                        case 0 -> new Window.Fixed(1_000_000L * (1 + random.nextInt(90_000)));
                        case 1 -> new Window.Sliding(1_000L * (1_000 + random.nextInt(5_000)));
                        case 2 -> new Window.Rate(1_000_000, 1 + random.nextInt(5));
                        default ->
                                new Window.Calendar(
                                        Window.Calendar.Span.values()[random.nextInt(3)],
                                        zones.get(random.nextInt(zones.size())));
                    };
            long limit = 1 + random.nextInt(5);
            Counter counter = counter(limit, window);
            long now =
                    Instant.parse("2005-01-01T00:00:00Z").getEpochSecond() * 1_000_000
                            + random.nextLong(20L * 365 * 86_400 * 1_000_000);
            CounterRow row = new CounterRow();
            row.turn(counter, now);
            row.charge(counter, row.room(counter, now), now);

            long back = row.backMicros(counter, now);

            assertThat(back).as("%s, seed %d", window.words(), seed).isPositive();
            assertThat(roomAt(row, counter, now + back - 1))
                    .as("%s a microsecond before, seed %d", window.words(), seed)
                    .isZero();
            assertThat(roomAt(row, counter, now + back))
                    .as("%s then, seed %d", window.words(), seed)
                    .isPositive();
        }
    }

    private static long roomAt(CounterRow row, Counter counter, long micros) {
        CounterRow later = row.copy();
        later.turn(counter, micros);
        return later.room(counter, micros);
    }
}
