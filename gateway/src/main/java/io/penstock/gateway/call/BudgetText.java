package io.penstock.gateway.call;

import io.penstock.budget.Counter;
import io.penstock.budget.Standing;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import java.math.BigDecimal;
import java.util.Locale;

/** How budgets read in what a caller is told. */
final class BudgetText {
    private static final long MICROS_PER_MILLI = 1_000;
    private static final BigDecimal MORE_MAX = BigDecimal.valueOf(1L << 60);

    private BudgetText() {}

    /** Such as {@code 100 calls per 1s} or {@code 5.00 USD per day in Europe/Berlin}. */
    static String limit(Counter counter) {
        return amount(counter.budget().unit(), counter.limit())
                + " per "
                + counter.budget().window().words();
    }

    private static String amount(Unit unit, long units) {
        if (unit != Unit.COST) {
            return units + " " + unit.name().toLowerCase(Locale.ROOT);
        }
        BigDecimal dollars = BigDecimal.valueOf(units, 6).stripTrailingZeros();
        return dollars.setScale(Math.max(2, dollars.scale())).toPlainString() + " USD";
    }

    /** When the call may be tried again, or -1 where the budget does not fill by itself. */
    static long retryAfterMillis(Standing standing) {
        if (standing.endsInMicros() < 0) {
            return -1;
        }
        return Math.ceilDiv(standing.endsInMicros() + more(standing), MICROS_PER_MILLI);
    }

    /** A rate says when the next unit comes; a call that asks for several waits for all. */
    private static long more(Standing standing) {
        long units = standing.withheld() - standing.remaining() - 1;
        if (!(standing.counter().budget().window() instanceof Window.Rate rate)
                || units <= 0
                || standing.counter().limit() == 0) {
            return 0;
        }
        return BigDecimal.valueOf(units)
                .multiply(BigDecimal.valueOf(rate.periodMicros()))
                .divide(
                        BigDecimal.valueOf(standing.counter().limit()),
                        java.math.RoundingMode.CEILING)
                .min(MORE_MAX)
                .longValue();
    }
}
