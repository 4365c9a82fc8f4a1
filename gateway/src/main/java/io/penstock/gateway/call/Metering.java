package io.penstock.gateway.call;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Price;
import io.penstock.cluster.admission.Admission.Spent;
import io.penstock.cluster.admission.Verdict;
import io.penstock.gateway.http.HeaderBlock;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Learns what a call cost while its answer passes: from a header, from the result, or by counting
 * bytes.
 *
 * <p><b>Guarantee.</b> What cannot be learnt is left out, and thereby spent in full. A number is
 * rounded up to whole units.
 *
 * <p><b>Threads.</b> One call's own.
 *
 * <p><b>Cost.</b> Nothing for calls that hold nothing; a copy of the answer, {@value
 * ResultReader#BYTES_MAX} bytes at most, where the price stands in the result.
 */
final class Metering {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}(\\.[0-9]{1,18})?");

    private final List<Charge> metered = new ArrayList<>();
    private final @Nullable BigDecimal[] found;
    private final @Nullable ResultReader result;
    private final @Nullable Charge counted;
    private long bytes;

    private Metering(List<Charge> holds, long requestBytes, String resultRoot) {
        bytes = requestBytes;
        Charge tightest = null;
        boolean inResult = false;
        for (Charge charge : holds) {
            if (charge.kind() == Charge.Kind.METERED) {
                metered.add(charge);
                Price.Source source = measured(charge).source();
                inResult |= source instanceof Price.ResultPointer;
                if (source instanceof Price.BodyBytes
                        && !charge.counter().shadow()
                        && (tightest == null || max(charge) < max(tightest))) {
                    tightest = charge;
                }
            }
        }
        found = new BigDecimal[metered.size()];
        result = inResult ? new ResultReader(resultRoot) : null;
        counted = tightest;
    }

    /** For a call that holds units whose price is not known yet; null for every other. */
    static @Nullable Metering of(
            Verdict.@Nullable Admitted admitted, long requestBytes, String resultRoot) {
        if (admitted == null || admitted.holds().isEmpty()) {
            return null;
        }
        return new Metering(admitted.holds(), requestBytes, resultRoot);
    }

    private static Price.Measured measured(Charge charge) {
        Price price = charge.price();
        if (price == null || !(price.amount() instanceof Price.Measured measured)) {
            throw new IllegalStateException("a metered charge without its price: " + charge);
        }
        return measured;
    }

    private static long max(Charge charge) {
        return measured(charge).max();
    }

    /** Reads the answer's head. */
    void head(HeaderBlock head) {
        for (int i = 0; i < found.length; i++) {
            if (measured(metered.get(i)).source() instanceof Price.ResponseHeader(String name)) {
                String value = head.first(name);
                if (value != null && NUMBER.matcher(value.strip()).matches()) {
                    found[i] = new BigDecimal(value.strip());
                }
            }
        }
        if (result != null) {
            result.head(head);
        }
    }

    /** The budget that has too little held for so many more bytes of the answer, or null. */
    @Nullable Charge tooLong(long more) {
        return counted != null && bytes + more > max(counted) ? counted : null;
    }

    /** So much of the answer has passed. */
    void passed(byte[] buffer, int count) {
        bytes += count;
        if (result != null) {
            result.read(buffer, count);
        }
    }

    /**
     * What the call cost, as far as that is known.
     *
     * @param complete the answer came to its end
     */
    List<Spent> spent(boolean complete) {
        if (complete && result != null) {
            result.end();
        }
        List<Spent> spent = new ArrayList<>(found.length);
        for (int i = 0; i < found.length; i++) {
            Price.Measured price = measured(metered.get(i));
            BigDecimal number =
                    switch (price.source()) {
                        case Price.BodyBytes _ -> BigDecimal.valueOf(bytes);
                        case Price.ResponseHeader _ -> found[i];
                        case Price.ResultPointer(String pointer) ->
                                result == null || !complete ? null : result.number(pointer);
                    };
            long units = units(number, price.each());
            if (units >= 0) {
                spent.add(new Spent(metered.get(i).counter(), units));
            }
        }
        return spent;
    }

    /** Whole units, rounded up; -1 where the number is none, below 0, or past all reason. */
    private static long units(@Nullable BigDecimal number, long each) {
        if (number == null || number.signum() < 0 || number.precision() - number.scale() > 18) {
            return -1;
        }
        BigDecimal units =
                number.multiply(BigDecimal.valueOf(each)).setScale(0, RoundingMode.CEILING);
        return units.compareTo(BigDecimal.valueOf(Budget.AMOUNT_MAX)) > 0
                ? -1
                : units.longValueExact();
    }
}
