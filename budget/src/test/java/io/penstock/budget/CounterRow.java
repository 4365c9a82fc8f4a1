package io.penstock.budget;

import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.TreeMap;

/**
 * One counter of the in-memory ledger: the same rules as the database's row, computed in the
 * dullest way there is. A sliding window is a list of granules, a rate an exact fraction.
 */
final class CounterRow {
    private static final BigInteger MOST = BigInteger.TWO.pow(62);

    /** The window that is now; a sliding window's newest granule. */
    long index = Long.MIN_VALUE;

    long used;
    long held;

    /** When it was last charged. */
    long atMicros = Long.MIN_VALUE;

    /** A sliding window's units by granule. */
    final TreeMap<Long, Long> granules = new TreeMap<>();

    /** A rate's theoretical arrival time, in microseconds times its limit. */
    BigInteger arrival = BigInteger.ZERO;

    /** The limit that {@link #arrival} is scaled by. */
    long scale;

    /** The same, to be changed apart. */
    CounterRow copy() {
        CounterRow copy = new CounterRow();
        copy.index = index;
        copy.used = used;
        copy.held = held;
        copy.atMicros = atMicros;
        copy.granules.putAll(granules);
        copy.arrival = arrival;
        copy.scale = scale;
        return copy;
    }

    /** Goes on to the window of that moment; never back. */
    void turn(Counter counter, long now) {
        switch (counter.budget().window()) {
            case Window.Session session -> {
                if (atMicros == Long.MIN_VALUE || atMicros + session.idleMicros() < now) {
                    begin(Math.max(now, index));
                }
            }
            case Window.Sliding sliding -> {
                index = Math.max(index, now / sliding.granuleMicros());
                granules.headMap(index - Window.Sliding.GRANULES).clear();
                used = granules.values().stream().mapToLong(Long::longValue).sum();
            }
            case Window.Rate _ -> {
                rescale(counter.limit());
                index = now;
            }
            case Window.Fixed _, Window.Calendar _, Window.Lifetime _, Window.Open _ -> {
                long number = number(counter.budget().window(), now);
                if (number > index) {
                    begin(number);
                }
            }
        }
    }

    private void begin(long number) {
        index = number;
        used = 0;
        held = 0;
    }

    /** Another limit: what is under way rounds up to a whole microsecond. */
    private void rescale(long limit) {
        if (scale != limit && scale != 0) {
            arrival = ceil(arrival, scale).multiply(BigInteger.valueOf(limit));
        }
        scale = limit;
    }

    /** The number of the window that holds a moment, by that moment alone. */
    static long number(Window window, long micros) {
        return switch (window) {
            case Window.Fixed fixed -> fixed.index(micros);
            case Window.Calendar calendar -> date(calendar, micros);
            case Window.Sliding sliding -> micros / sliding.granuleMicros();
            case Window.Lifetime _, Window.Open _ -> 0;
            case Window.Rate _, Window.Session _ -> micros;
        };
    }

    private static long date(Window.Calendar calendar, long micros) {
        LocalDate date =
                Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atZone(calendar.zone()).toLocalDate();
        return switch (calendar.span()) {
            case DAY -> date.toEpochDay();
            case WEEK -> Math.floorDiv(date.toEpochDay() + 3, 7);
            case MONTH -> date.getYear() * 12L + date.getMonthValue() - 1;
        };
    }

    /** Units that may be charged now. */
    long room(Counter counter, long now) {
        if (counter.budget().window() instanceof Window.Rate rate) {
            if (counter.limit() == 0) {
                return 0;
            }
            BigInteger room =
                    BigInteger.valueOf(rate.burst())
                            .multiply(BigInteger.valueOf(rate.periodMicros()))
                            .subtract(debt(now));
            return room.signum() < 0
                    ? 0
                    : room.divide(BigInteger.valueOf(rate.periodMicros())).longValueExact();
        }
        return Math.max(0, counter.limit() - used);
    }

    /** How far the arrival time is ahead of the clock, in microseconds times the limit. */
    private BigInteger debt(long now) {
        return arrival.subtract(scaled(now)).max(BigInteger.ZERO);
    }

    private BigInteger scaled(long micros) {
        return BigInteger.valueOf(micros).multiply(BigInteger.valueOf(scale));
    }

    void charge(Counter counter, long amount, long now) {
        atMicros =
                counter.budget().window() instanceof Window.Session ? Math.max(atMicros, now) : now;
        switch (counter.budget().window()) {
            case Window.Sliding _ -> {
                granules.merge(index, amount, Long::sum);
                used += amount;
            }
            case Window.Rate rate ->
                    arrival = arrival.max(scaled(now)).add(emission(rate).multiply(big(amount)));
            default -> used += amount;
        }
    }

    private static BigInteger emission(Window.Rate rate) {
        return BigInteger.valueOf(rate.periodMicros());
    }

    private static BigInteger big(long number) {
        return BigInteger.valueOf(number);
    }

    private static BigInteger ceil(BigInteger number, long by) {
        BigInteger[] parts = number.divideAndRemainder(BigInteger.valueOf(by));
        return parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
    }

    /** Adds (below 0: takes back) units in the window that was charged, while it still counts. */
    void adjust(Counter counter, long window, long delta) {
        switch (counter.budget().window()) {
            case Window.Sliding _ -> {
                if (window >= index - Window.Sliding.GRANULES && window <= index) {
                    long before = granules.getOrDefault(window, 0L);
                    BigInteger others = big(used).subtract(big(before));
                    BigInteger after = big(clamp(big(before).add(big(delta))));
                    granules.put(window, after.min(MOST.subtract(others)).longValueExact());
                    used = granules.values().stream().mapToLong(Long::longValue).sum();
                }
            }
            case Window.Rate rate -> {
                if (delta > 0 || atMicros == window) {
                    BigInteger latest = arrival.max(MOST.multiply(big(Math.max(1, scale))));
                    arrival = arrival.add(emission(rate).multiply(big(delta))).min(latest);
                }
            }
            default -> {
                if (index == window) {
                    used = clamp(big(used).add(big(delta)));
                }
            }
        }
    }

    private static long clamp(BigInteger number) {
        return number.max(BigInteger.ZERO).min(MOST).longValueExact();
    }

    /** Whether a hold of that window is still among the held units. */
    boolean counts(Counter counter, long window) {
        return switch (counter.budget().window()) {
            case Window.Sliding _, Window.Rate _ -> true;
            default -> index == window;
        };
    }

    /** Until units come back by themselves; -1 = never. */
    long backMicros(Counter counter, long now) {
        return switch (counter.budget().window()) {
            case Window.Fixed fixed -> fixed.endsInMicros(index, now);
            case Window.Calendar calendar -> nextStart(calendar) - now;
            case Window.Session session -> session.idleMicros();
            case Window.Lifetime _, Window.Open _ -> -1;
            case Window.Sliding sliding ->
                    granules.entrySet().stream()
                            .filter(granule -> granule.getValue() > 0)
                            .mapToLong(
                                    granule ->
                                            (granule.getKey() + Window.Sliding.GRANULES + 1)
                                                            * sliding.granuleMicros()
                                                    - now)
                            .findFirst()
                            .orElse(0);
            case Window.Rate rate -> backOfRate(counter, rate, now);
        };
    }

    private long backOfRate(Counter counter, Window.Rate rate, long now) {
        if (counter.limit() == 0) {
            return -1;
        }
        long next = room(counter, now) + 1;
        BigInteger over =
                debt(now).subtract(big(rate.burst()).subtract(big(next)).multiply(emission(rate)));
        return next > rate.burst() || over.signum() <= 0 ? 0 : ceil(over, scale).longValueExact();
    }

    private long nextStart(Window.Calendar calendar) {
        LocalDate next =
                switch (calendar.span()) {
                    case DAY -> LocalDate.ofEpochDay(index + 1);
                    case WEEK -> LocalDate.ofEpochDay((index + 1) * 7 - 3);
                    case MONTH ->
                            LocalDate.of(
                                    Math.toIntExact((index + 1) / 12),
                                    Math.toIntExact((index + 1) % 12) + 1,
                                    1);
                };
        return ChronoUnit.MICROS.between(
                Instant.EPOCH, next.atStartOfDay(calendar.zone()).toInstant());
    }
}
