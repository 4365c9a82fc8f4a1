package io.penstock.cli;

import io.penstock.budget.Dimension;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How budgets' figures read in a terminal. */
final class BudgetWords {
    private static final int BAR = 20;

    private BudgetWords() {}

    /** An amount in its unit: cost as money, everything else as a number. */
    static String amount(String unit, long amount) {
        if (!unit.equals("cost")) {
            return Long.toString(amount);
        }
        String sign = amount < 0 ? "-" : "";
        long whole = Math.abs(amount / 1_000_000);
        String rest = "%06d".formatted(Math.abs(amount % 1_000_000)).replaceFirst("0{1,4}$", "");
        return sign + whole + "." + rest + " USD";
    }

    /** Such as {@code ########------------ 40 %}. */
    static String bar(long used, long limit) {
        double share = limit <= 0 ? 1 : Math.min(1, (double) used / limit);
        int filled = used > 0 ? Math.max(1, (int) (share * BAR)) : 0;
        return "#".repeat(filled)
                + "-".repeat(BAR - filled)
                + " %3d %%".formatted((int) Math.floor(share * 100));
    }

    /** Such as {@code tenant=acme agent=crawler}. */
    static String scope(Map<String, String> scope) {
        String text =
                scope.entrySet().stream()
                        .map(part -> part.getKey() + "=" + part.getValue())
                        .collect(Collectors.joining(" "));
        return text.isEmpty() ? "all together" : text;
    }

    /** Microseconds until units come back, in words. */
    static String back(long micros) {
        if (micros < 0) {
            return "never";
        }
        if (micros < 10_000_000) {
            return micros / 1_000 + " ms";
        }
        long seconds = micros / 1_000_000;
        return seconds < 7_200 ? seconds + " s" : seconds / 3_600 + " h";
    }

    static String lower(Dimension dimension) {
        return dimension.name().toLowerCase(Locale.ROOT);
    }
}
