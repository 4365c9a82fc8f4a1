package io.penstock.cli;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times as tables show them: UTC, to the second. */
final class Moment {
    private Moment() {}

    static String text(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
