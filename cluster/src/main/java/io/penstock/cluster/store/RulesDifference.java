package io.penstock.cluster.store;

import io.penstock.budget.Budget;
import io.penstock.budget.LimitOverride;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.Reserve;
import io.penstock.budget.Unpriced;
import io.penstock.cluster.control.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What one set of rules has that another has not, in words for a terminal. */
public final class RulesDifference {
    private RulesDifference() {}

    /** One line for each thing that is added, removed or changed on the way from one to other. */
    public static List<String> between(Rules from, Rules to) {
        List<String> lines = new ArrayList<>();
        compare("budget", byName(from), byName(to), RulesDifference::words, lines);
        counters(byName(from), byName(to), lines);
        compare("price", prices(from), prices(to), RulesDifference::words, lines);
        compare(
                "server",
                new TreeMap<>(from.servers()),
                new TreeMap<>(to.servers()),
                RulesDifference::lower,
                lines);
        if (!from.lease().equals(to.lease())) {
            lines.add(
                    "~ lease: "
                            + from.lease().toMillis()
                            + "ms -> "
                            + to.lease().toMillis()
                            + "ms");
        }
        return lines;
    }

    /** Says behind each budget that changes what becomes of what is used already. */
    private static void counters(
            Map<String, Budget> from, Map<String, Budget> to, List<String> lines) {
        to.forEach(
                (name, after) -> {
                    Budget before = from.get(name);
                    if (before != null && !before.equals(after)) {
                        lines.replaceAll(
                                line ->
                                        line.startsWith("~ budget " + name + ": ")
                                                ? line + "; " + fate(before, after)
                                                : line);
                    }
                });
    }

    private static String fate(Budget before, Budget after) {
        boolean same =
                before.unit() == after.unit()
                        && before.window().spec().equals(after.window().spec())
                        && before.per().equals(after.per())
                        && (before.mode() == Mode.ENFORCE) == (after.mode() == Mode.ENFORCE);
        return same
                ? "keeps what was used"
                : "starts over, as its unit, window, scope or mode is another";
    }

    private static Map<String, Price> prices(Rules rules) {
        Map<String, Price> prices = new TreeMap<>();
        int place = 1;
        for (Price price : rules.budgets().prices().all()) {
            prices.put("%04d".formatted(place++), price);
        }
        return prices;
    }

    private static String words(Price price) {
        String tool =
                (price.server() == null ? "*" : price.server())
                        + "/"
                        + (price.tool() == null ? "*" : price.tool());
        String amount =
                switch (price.amount()) {
                    case Price.Known known -> "" + known.units();
                    case Price.Measured measured ->
                            "at most "
                                    + measured.max()
                                    + switch (measured.source()) {
                                        case Price.BodyBytes _ -> ", counted";
                                        case Price.ResponseHeader h -> ", by header " + h.name();
                                        case Price.ResultPointer p -> ", by result " + p.pointer();
                                    }
                                    + (measured.each() == 1 ? "" : " times " + measured.each());
                };
        return tool + " " + amount + " " + lower(price.unit());
    }

    private static Map<String, Budget> byName(Rules rules) {
        Map<String, Budget> budgets = new TreeMap<>();
        rules.budgets().all().forEach(budget -> budgets.put(budget.name(), budget));
        return budgets;
    }

    private static <V> void compare(
            String what,
            Map<String, V> from,
            Map<String, V> to,
            Function<V, String> words,
            List<String> lines) {
        TreeSet<String> names = new TreeSet<>(from.keySet());
        names.addAll(to.keySet());
        for (String name : names) {
            V before = from.get(name);
            V after = to.get(name);
            if (before == null) {
                lines.add(
                        "+ "
                                + what
                                + " "
                                + name
                                + ": "
                                + words.apply(Objects.requireNonNull(after)));
            } else if (after == null) {
                lines.add("- " + what + " " + name + ": " + words.apply(before));
            } else if (!Objects.equals(before, after)) {
                lines.add(
                        "~ "
                                + what
                                + " "
                                + name
                                + ": "
                                + words.apply(before)
                                + " -> "
                                + words.apply(after));
            }
        }
    }

    private static String words(Budget budget) {
        String per =
                budget.per().stream()
                        .sorted()
                        .map(RulesDifference::lower)
                        .collect(Collectors.joining(", "));
        String match =
                (budget.server() == null ? "" : " at server " + budget.server())
                        + (budget.tool() == null ? "" : " of tool " + budget.tool());
        return budget.limit()
                + " "
                + lower(budget.unit())
                + " per "
                + budget.window().words()
                + (per.isEmpty() ? "" : " for each " + per)
                + match
                + (budget.mode() == Mode.ENFORCE ? "" : ", " + lower(budget.mode()))
                + (budget.reserve() == Reserve.MAX ? "" : ", reserve " + lower(budget.reserve()))
                + (budget.unpriced() == Unpriced.REFUSE ? "" : ", unpriced calls admitted")
                + overrides(budget)
                + (budget.notifyAt().isEmpty() ? "" : ", notifies at " + budget.notifyAt() + " %");
    }

    private static String overrides(Budget budget) {
        StringBuilder words = new StringBuilder();
        for (LimitOverride override : budget.overrides()) {
            words.append(", ").append(override.limit()).append(" for");
            part(words, "tenant", override.tenant());
            part(words, "agent", override.agent());
            part(words, "server", override.server());
            part(words, "tool", override.tool());
        }
        return words.toString();
    }

    private static void part(StringBuilder words, String name, @Nullable String value) {
        if (value != null) {
            words.append(' ').append(name).append(' ').append(value);
        }
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
