package io.penstock.gateway.config;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes as the configuration writes them: a whole number and a unit. */
public final class Quantity {
    private static final Pattern FORM = Pattern.compile("(0|[1-9][0-9]{0,17})([A-Za-z]+)");
    private static final Map<String, Long> NANOS =
            Map.of(
                    "us", 1_000L,
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L,
                    "d", 86_400_000_000_000L);
    private static final Map<String, Long> BYTES =
            Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

    private Quantity() {}

    /** Nanoseconds, or nothing where the text is not a duration. */
    public static OptionalLong nanos(String text) {
        return read(text, NANOS);
    }

    /** Bytes, or nothing where the text is not a size. */
    static OptionalLong bytes(String text) {
        return read(text, BYTES);
    }

    /** The duration in the largest unit that divides it. */
    public static String show(Duration duration) {
        return show(duration.toNanos(), NANOS, "ns");
    }

    /** The size in the largest unit that divides it. */
    static String showBytes(long bytes) {
        return show(bytes, BYTES, "B");
    }

    private static OptionalLong read(String text, Map<String, Long> units) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        Long unit = units.get(matcher.group(2));
        if (unit == null) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(matcher.group(1));
        long high = Math.multiplyHigh(number, unit);
        long value = number * unit;
        return high != 0 || value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private static String show(long value, Map<String, Long> units, String smallest) {
        if (value == 0) {
            return "0" + (smallest.equals("ns") ? "s" : smallest);
        }
        String best = smallest;
        long size = 1;
        for (Map.Entry<String, Long> unit : units.entrySet()) {
            if (unit.getValue() > size && value % unit.getValue() == 0) {
                best = unit.getKey();
                size = unit.getValue();
            }
        }
        return value / size + best;
    }
}
