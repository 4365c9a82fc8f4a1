package io.penstock.gateway.door;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The {@code Date} of answers, made once a second.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class DateLine {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final InstantSource clock;
    private volatile Made made;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Made(long second, String date, byte[] line) {}

    DateLine(InstantSource clock) {
        this.clock = clock;
        made = make(clock.millis() / 1000);
    }

    /** {@code Date: ...} with its line end. */
    byte[] line() {
        return current().line;
    }

    String date() {
        return current().date;
    }

    private Made current() {
        long second = clock.millis() / 1000;
        Made last = made;
        if (last.second != second) {
            last = make(second);
            made = last;
        }
        return last;
    }

    private static Made make(long second) {
        String date = FORMAT.format(Instant.ofEpochSecond(second));
        return new Made(
                second, date, ("Date: " + date + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }
}
