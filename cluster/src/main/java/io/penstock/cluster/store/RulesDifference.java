package io.penstock.cluster.store;

import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
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

/** What one set of rules has that another has not, in words for a terminal. */
public final class RulesDifference {
    private RulesDifference() {}

    /** One line for each thing that is added, removed or changed on the way from one to other. */
    public static List<String> between(Rules from, Rules to) {
        List<String> lines = new ArrayList<>();
        compare("budget", byName(from), byName(to), RulesDifference::words, lines);
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
                + (budget.mode() == Mode.ENFORCE ? "" : ", " + lower(budget.mode()));
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
