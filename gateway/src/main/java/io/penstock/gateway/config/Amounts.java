package io.penstock.gateway.config;

import io.penstock.budget.Unit;
import java.math.BigDecimal;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Amounts of a budget's unit as the configuration writes them. */
final class Amounts {
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,18}");
    private static final Pattern MONEY =
            Pattern.compile("(0|[1-9][0-9]{0,12})(\\.[0-9]{1,6})? USD");

    private Amounts() {}

    /** Units, or nothing where the text is not an amount of that unit. */
    static OptionalLong read(Unit unit, String text) {
        return switch (unit) {
            case COST -> money(text);
            case BYTES -> text.matches("[0-9]+") ? whole(text) : Quantity.bytes(text);
            case CALLS, TOKENS, CONCURRENCY -> whole(text);
        };
    }

    /** What an amount of that unit looks like. */
    static String form(Unit unit) {
        return switch (unit) {
            case COST -> "an amount such as 5.00 USD";
            case BYTES -> "a size such as 4MiB, or a whole number";
            case CALLS, TOKENS, CONCURRENCY -> "a whole number";
        };
    }

    private static OptionalLong money(String text) {
        return MONEY.matcher(text).matches()
                ? OptionalLong.of(
                        new BigDecimal(text.substring(0, text.indexOf(' ')))
                                .movePointRight(6)
                                .longValueExact())
                : OptionalLong.empty();
    }

    private static OptionalLong whole(String text) {
        if (!WHOLE.matcher(text).matches()) {
            return OptionalLong.empty();
        }
        BigDecimal number = new BigDecimal(text);
        return number.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
                ? OptionalLong.empty()
                : OptionalLong.of(number.longValueExact());
    }
}
