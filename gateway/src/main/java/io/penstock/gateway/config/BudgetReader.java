package io.penstock.gateway.config;

import io.penstock.budget.Budget;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one item of {@code budgets}. */
final class BudgetReader {
    private final Section section;
    private final Set<String> servers;

    /**
     * @param servers names that a budget may match
     */
    BudgetReader(Section section, Set<String> servers) {
        this.section = section;
        this.servers = servers;
    }

    Budget read(String name) {
        section.requirePresence("limit");
        section.requirePresence("window");
        Unit unit = Unit.valueOf(section.choice("unit").toUpperCase(Locale.ROOT));
        long limit = section.whole("limit");
        Window window = new Window.Fixed(section.span("window").toNanos() / 1_000);
        Set<Dimension> per = EnumSet.noneOf(Dimension.class);
        for (String word : section.words("per")) {
            per.add(Dimension.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        Mode mode = Mode.valueOf(section.choice("mode").toUpperCase(Locale.ROOT));
        Section match = section.section("match");
        return new Budget(name, unit, limit, window, per, server(match), match.text("tool"), mode);
    }

    private @Nullable String server(Section match) {
        String server = match.text("server");
        if (server != null && servers.stream().noneMatch(name -> matches(server, name))) {
            match.problem(
                    "server",
                    match.label("server")
                            + ": "
                            + server
                            + " matches no server"
                            + Nearest.to(server, servers)
                                    .map(name -> ": did you mean " + name + "?")
                                    .orElse(""));
        }
        return server;
    }

    private static boolean matches(String glob, String name) {
        return name.matches("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E");
    }
}
