package io.penstock.budget;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;

/**
 * The span a limit applies to. The ledger's clock says which window is now; windows are numbered,
 * and numbers are all that is ever compared.
 */
public sealed interface Window {

    /** Names the kind and length in a counter's key; no spec is the beginning of another. */
    String spec();

    /**
     * Reads a spec back, as far as it tells: a rate's burst is not part of it.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Window ofSpec(String spec, long burst) {
        if (spec.isEmpty()) {
            throw new IllegalArgumentException("an empty window spec");
        }
        String rest = spec.substring(1);
        return switch (spec.charAt(0)) {
            case 'f' -> new Fixed(Long.parseLong(rest));
            case 's' -> new Sliding(Long.parseLong(rest));
            case 'r' -> new Rate(Long.parseLong(rest), burst);
            case 'n' -> new Session(Long.parseLong(rest));
            case 'l' -> new Lifetime();
            case 'o' -> new Open();
            case 'd' -> new Calendar(Calendar.Span.DAY, zone(rest));
            case 'w' -> new Calendar(Calendar.Span.WEEK, zone(rest));
            case 'm' -> new Calendar(Calendar.Span.MONTH, zone(rest));
            default -> throw new IllegalArgumentException("no window's spec: " + spec);
        };
    }

    private static ZoneId zone(String counted) {
        try {
            return ZoneId.of(counted.substring(counted.indexOf(':') + 1));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("no time zone: " + counted, e);
        }
    }

    /** What stands after "per" in a sentence. */
    String words();

    /**
     * Spans of one length, aligned to 1970 on the database's clock.
     *
     * @param micros length in microseconds, 1 s to 366 days
     */
    record Fixed(long micros) implements Window {
        public Fixed {
            length("a fixed window", micros);
        }

        public long index(long atMicros) {
            return Math.floorDiv(atMicros, micros);
        }

        /** Microseconds from that moment to the end of the window with that number. */
        public long endsInMicros(long index, long atMicros) {
            return (index + 1) * micros - atMicros;
        }

        @Override
        public String spec() {
            return "f" + micros;
        }

        @Override
        public String words() {
            return span(micros);
        }
    }

    /**
     * Days, ISO weeks or months of a time zone, daylight saving included. The number is a local
     * date's, never an instant's.
     */
    record Calendar(Span span, ZoneId zone) implements Window {
        /** How long. */
        public enum Span {
            DAY('d'),
            WEEK('w'),
            MONTH('m');

            private final char code;

            Span(char code) {
                this.code = code;
            }
        }

        @Override
        public String spec() {
            return span.code + "" + zone.getId().length() + ":" + zone.getId();
        }

        @Override
        public String words() {
            return span.name().toLowerCase(Locale.ROOT) + " in " + zone.getId();
        }
    }

    /**
     * No interval of that length, wherever it starts, holds more than the limit. Units come back at
     * most one granule late.
     *
     * @param micros length, whole milliseconds, 1 s to 366 days
     */
    record Sliding(long micros) implements Window {
        /** A window is cut into so many granules. */
        public static final int GRANULES = 50;

        public Sliding {
            length("a sliding window", micros);
            if (micros % 1_000 != 0) {
                throw new IllegalArgumentException(
                        "a sliding window is whole milliseconds long, this one " + micros + " us");
            }
        }

        public long granuleMicros() {
            return micros / GRANULES;
        }

        @Override
        public String spec() {
            return "s" + micros;
        }

        @Override
        public String words() {
            return "any " + Window.span(micros);
        }
    }

    /**
     * The limit's units come evenly over each period, and at most {@code burst} at once: in any
     * span t at most burst + limit * t / period.
     *
     * @param periodMicros 1 ms to 366 days
     * @param burst 1 or more; burst * period at most 2^62
     */
    record Rate(long periodMicros, long burst) implements Window {
        public Rate {
            if (periodMicros < 1_000 || periodMicros > MICROS_MAX) {
                throw new IllegalArgumentException(
                        "a rate's period is 1 ms to 366 days, this one " + periodMicros + " us");
            }
            if (burst < 1 || burst > (1L << 62) / periodMicros) {
                throw new IllegalArgumentException(
                        "a burst is 1 to %d where the period is %d us, not %d"
                                .formatted((1L << 62) / periodMicros, periodMicros, burst));
            }
        }

        @Override
        public String spec() {
            return "r" + periodMicros;
        }

        @Override
        public String words() {
            return span(periodMicros) + ", " + burst + " at once";
        }
    }

    /** One window that never ends. */
    record Lifetime() implements Window {
        @Override
        public String spec() {
            return "l";
        }

        @Override
        public String words() {
            return "lifetime";
        }
    }

    /**
     * From a session's first call until it has been silent so long.
     *
     * @param idleMicros 1 s to 366 days
     */
    record Session(long idleMicros) implements Window {
        public Session {
            length("a session's idle time", idleMicros);
        }

        @Override
        public String spec() {
            return "n" + idleMicros;
        }

        @Override
        public String words() {
            return "session";
        }
    }

    /** What is open now; the only window of {@link Unit#CONCURRENCY}. */
    record Open() implements Window {
        @Override
        public String spec() {
            return "o";
        }

        @Override
        public String words() {
            return "moment";
        }
    }

    /** The longest. */
    long MICROS_MAX = 366L * 24 * 3600 * 1_000_000L;

    private static void length(String what, long micros) {
        if (micros < 1_000_000L || micros > MICROS_MAX) {
            throw new IllegalArgumentException(
                    what + " is 1 s to 366 days long, this one " + micros + " us");
        }
    }

    private static String span(long micros) {
        long[] sizes = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1_000L};
        String[] names = {"d", "h", "m", "s", "ms"};
        for (int i = 0; i < sizes.length; i++) {
            if (micros % sizes[i] == 0) {
                return micros / sizes[i] + names[i];
            }
        }
        return micros + "us";
    }
}
