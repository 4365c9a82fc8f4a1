package io.penstock.gateway.config;

import io.penstock.budget.Budget;
import io.penstock.budget.Dimension;
import io.penstock.budget.LimitOverride;
import io.penstock.budget.Mode;
import io.penstock.budget.Reserve;
import io.penstock.budget.Unit;
import io.penstock.budget.Unpriced;
import io.penstock.budget.Window;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
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
        Unit unit = Unit.valueOf(section.choice("unit").toUpperCase(Locale.ROOT));
        WindowReader.Extent extent = new WindowReader(section, unit).read();
        Set<Dimension> per = EnumSet.noneOf(Dimension.class);
        for (String word : section.words("per")) {
            per.add(Dimension.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        Mode mode = Mode.valueOf(section.choice("mode").toUpperCase(Locale.ROOT));
        Section match = section.section("match");
        Reserve reserve = Reserve.valueOf(section.choice("reserve").toUpperCase(Locale.ROOT));
        Unpriced unpriced = Unpriced.valueOf(section.choice("unpriced").toUpperCase(Locale.ROOT));
        onlyPriced(unit, "reserve");
        onlyPriced(unit, "unpriced");
        return new Budget(
                name,
                unit,
                extent.limit(),
                extent.window(),
                per,
                server(match),
                match.text("tool"),
                mode,
                reserve,
                unpriced,
                overrides(unit, per),
                notifyAt(extent.window()));
    }

    private void onlyPriced(Unit unit, String key) {
        if (section.has(key) && !unit.priced()) {
            section.problem(
                    key, section.label(key) + " means nothing for this unit: only prices are held");
        }
    }

    private List<LimitOverride> overrides(Unit unit, Set<Dimension> per) {
        List<LimitOverride> overrides = new ArrayList<>();
        for (Section item : section.sections("overrides")) {
            item.requirePresence("limit");
            String tenant = item.text("tenant");
            String agent = item.text("agent");
            String server = item.text("server");
            String tool = item.text("tool");
            if (agent != null && tenant == null) {
                item.problem(
                        "agent", item.label("agent") + " needs a tenant: agents belong to one");
            }
            if (tool != null && server == null) {
                item.problem("tool", item.label("tool") + " needs a server: tools belong to one");
            }
            dimension(item, "tenant", tenant, per, Dimension.TENANT, Dimension.AGENT);
            dimension(item, "agent", agent, per, Dimension.AGENT, Dimension.SESSION);
            dimension(item, "server", server, per, Dimension.SERVER, Dimension.TOOL);
            dimension(item, "tool", tool, per, Dimension.TOOL, Dimension.TOOL);
            overrides.add(
                    new LimitOverride(tenant, agent, server, tool, amount(item, "limit", unit)));
        }
        return overrides;
    }

    /** A counter that several share has one limit: which call asks must not decide it. */
    private static void dimension(
            Section item,
            String key,
            @Nullable String value,
            Set<Dimension> per,
            Dimension one,
            Dimension other) {
        boolean session = per.contains(Dimension.SESSION) && one != Dimension.SERVER;
        if (value != null && !per.contains(one) && !per.contains(other) && !session) {
            item.problem(
                    key,
                    item.label(key)
                            + ": the budget is not kept per "
                            + key
                            + ", so its counters are shared; add it to per");
        }
    }

    /** Units at a key, within the bounds of a limit; 0 after reporting what is wrong. */
    static long amount(Section section, String key, Unit unit) {
        String text = section.text(key);
        if (text == null) {
            return 0;
        }
        OptionalLong amount = Amounts.read(unit, text);
        if (amount.isEmpty() || amount.getAsLong() > Budget.LIMIT_MAX) {
            section.problem(
                    key,
                    section.label(key)
                            + ": "
                            + text
                            + (amount.isEmpty()
                                    ? " is not " + Amounts.form(unit)
                                    : " is over 2^62"));
            return 0;
        }
        return amount.getAsLong();
    }

    private List<Integer> notifyAt(Window window) {
        List<Integer> percents = new ArrayList<>();
        for (String word : section.words("notify-at")) {
            percents.add(Integer.parseInt(word.substring(0, word.length() - 1)));
        }
        if (!percents.isEmpty()
                && (window instanceof Window.Rate || window instanceof Window.Open)) {
            section.problem(
                    "notify-at",
                    section.label("notify-at")
                            + " needs a window: a rate and concurrency have none to fill");
        }
        return percents.stream().sorted().toList();
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

    static boolean matches(String glob, String name) {
        return name.matches("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E");
    }
}
