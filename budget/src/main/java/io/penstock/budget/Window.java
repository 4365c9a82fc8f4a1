package io.penstock.budget;

/**
 * The span a limit applies to. Windows are numbered, and a number is all that is ever compared: the
 * database's clock says which one is now.
 */
public sealed interface Window {

    /** The number of the window that holds this moment; grows with time. */
    long index(long atMicros);

    /** Microseconds from that moment to the end of the window with that number. */
    long endsInMicros(long index, long atMicros);

    /** Names the kind and length in a counter's key. */
    String spec();

    /**
     * Spans of one length, aligned to 1970 on the database's clock.
     *
     * @param micros length in microseconds, 1 s to 366 days
     */
    record Fixed(long micros) implements Window {
        private static final long MICROS_MIN = 1_000_000L;
        private static final long MICROS_MAX = 366L * 24 * 3600 * 1_000_000L;

        public Fixed {
            if (micros < MICROS_MIN || micros > MICROS_MAX) {
                throw new IllegalArgumentException(
                        "a fixed window is 1 s to 366 days long, this one " + micros + " us");
            }
        }

        @Override
        public long index(long atMicros) {
            return Math.floorDiv(atMicros, micros);
        }

        @Override
        public long endsInMicros(long index, long atMicros) {
            return (index + 1) * micros - atMicros;
        }

        @Override
        public String spec() {
            return "f" + micros;
        }
    }
}
