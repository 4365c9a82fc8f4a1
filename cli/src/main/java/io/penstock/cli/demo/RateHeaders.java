package io.penstock.cli.demo;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code RateLimit} and {@code RateLimit-Policy} say of a call's budget.
 *
 * @param limit units per window
 * @param windowSeconds length of the window
 * @param remaining units left in this window
 * @param resetSeconds until the next window
 */
record RateHeaders(
        String budget, long limit, long windowSeconds, long remaining, long resetSeconds) {
    private static final Pattern NAME = Pattern.compile("^\\s*\"([^\"]+)\"");

    /** The first budget of the two headers, or nothing where they are missing. */
    static Optional<RateHeaders> of(@Nullable String rateLimit, @Nullable String policy) {
        if (rateLimit == null || policy == null) {
            return Optional.empty();
        }
        Matcher name = NAME.matcher(rateLimit);
        if (!name.find()) {
            return Optional.empty();
        }
        String budget = name.group(1);
        String terms = item(policy, budget);
        return Optional.of(
                new RateHeaders(
                        budget,
                        number(terms, "q"),
                        number(terms, "w"),
                        number(item(rateLimit, budget), "r"),
                        number(item(rateLimit, budget), "t")));
    }

    /** The part of a list that names the budget. */
    private static String item(String header, String budget) {
        for (String item : header.split(",")) {
            if (item.trim().startsWith('"' + budget + '"')) {
                return item;
            }
        }
        return "";
    }

    private static long number(String item, String parameter) {
        Matcher matcher = Pattern.compile(";\\s*" + parameter + "=([0-9]{1,15})").matcher(item);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
