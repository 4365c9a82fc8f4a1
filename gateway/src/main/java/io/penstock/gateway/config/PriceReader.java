package io.penstock.gateway.config;

import io.penstock.budget.Budget;
import io.penstock.budget.Price;
import io.penstock.budget.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one item of {@code prices}: it may price a tool in several units at once. */
final class PriceReader {
    private static final List<Unit> UNITS = List.of(Unit.COST, Unit.TOKENS, Unit.BYTES);

    /** An answer reports cost in dollars. */
    private static final long DOLLAR = 1_000_000;

    private final Section section;
    private final Set<String> servers;

    PriceReader(Section section, Set<String> servers) {
        this.section = section;
        this.servers = servers;
    }

    List<Price> read() {
        String server = section.text("server");
        String tool = section.text("tool");
        if (server != null
                && servers.stream().noneMatch(name -> BudgetReader.matches(server, name))) {
            section.problem(
                    "server", section.label("server") + ": " + server + " matches no server");
        }
        List<Price> prices = new ArrayList<>();
        for (Unit unit : UNITS) {
            String key = unit.name().toLowerCase(Locale.ROOT);
            if (section.has(key)) {
                add(prices, server, tool, unit, new Price.Known(amount(key, unit)));
            }
        }
        if (section.has("unit") || section.has("max")) {
            measured(prices, server, tool);
        } else {
            for (String key : List.of("result", "header", "each")) {
                if (section.has(key)) {
                    section.problem(
                            key, section.label(key) + " belongs to a price with unit and max");
                }
            }
        }
        if (prices.isEmpty() && !section.has("unit") && !section.has("max")) {
            section.problem(
                    "cost",
                    section.label("cost")
                            + " is missing (or tokens, or bytes; or unit and max, where the price"
                            + " is known afterwards)");
        }
        return prices;
    }

    private void measured(List<Price> prices, @Nullable String server, @Nullable String tool) {
        section.requirePresence("unit");
        section.requirePresence("max");
        Unit unit = Unit.valueOf(section.choice("unit").toUpperCase(Locale.ROOT));
        long max = amount("max", unit);
        long each = unit == Unit.COST ? DOLLAR : 1;
        if (section.has("each")) {
            each = amount("each", unit);
        }
        Price.Source source = source(unit);
        add(prices, server, tool, unit, new Price.Measured(max, source, Math.max(1, each)));
    }

    private Price.Source source(Unit unit) {
        String pointer = section.text("result");
        String header = section.text("header");
        if (pointer != null && header != null) {
            section.problem("header", section.label("header") + " and result exclude each other");
        }
        if (unit == Unit.BYTES) {
            for (String key : List.of("result", "header", "each")) {
                if (section.has(key)) {
                    section.problem(
                            key,
                            section.label(key)
                                    + " means nothing for bytes: the gateway counts them");
                }
            }
            return new Price.BodyBytes();
        }
        if (header != null) {
            return new Price.ResponseHeader(header);
        }
        if (pointer == null && section.has("result")) {
            return new Price.BodyBytes();
        }
        if (pointer == null) {
            section.problem(
                    "result",
                    section.label("result") + " is missing (or header): where the number stands");
            return new Price.BodyBytes();
        }
        return new Price.ResultPointer(pointer);
    }

    private long amount(String key, Unit unit) {
        long amount = BudgetReader.amount(section, key, unit);
        if (section.sound(key) && (amount < 1 || amount > Budget.AMOUNT_MAX)) {
            section.problem(key, section.label(key) + " must be 1 to 2^52 units");
            return 1;
        }
        return Math.max(1, amount);
    }

    private static void add(
            List<Price> prices,
            @Nullable String server,
            @Nullable String tool,
            Unit unit,
            Price.Amount amount) {
        prices.add(new Price(server, tool, unit, amount));
    }
}
