package io.penstock.cluster.store;

import static io.penstock.cluster.store.JsonFields.constant;
import static io.penstock.cluster.store.JsonFields.known;
import static io.penstock.cluster.store.JsonFields.label;
import static io.penstock.cluster.store.JsonFields.list;
import static io.penstock.cluster.store.JsonFields.needed;
import static io.penstock.cluster.store.JsonFields.optional;
import static io.penstock.cluster.store.JsonFields.text;
import static io.penstock.cluster.store.JsonFields.whole;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.budget.Budget;
import io.penstock.budget.Dimension;
import io.penstock.budget.LimitOverride;
import io.penstock.budget.Mode;
import io.penstock.budget.Reserve;
import io.penstock.budget.Unit;
import io.penstock.budget.Unpriced;
import io.penstock.budget.Window;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One budget in a revision's document. What is as usual is left out. */
final class BudgetJson {
    private BudgetJson() {}

    static void write(Budget budget, ObjectNode node) {
        node.put("limit", budget.limit());
        node.put("mode", label(budget.mode()));
        node.put("name", budget.name());
        if (!budget.notifyAt().isEmpty()) {
            ArrayNode percents = node.putArray("notifyAt");
            budget.notifyAt().forEach(percents::add);
        }
        if (!budget.overrides().isEmpty()) {
            ArrayNode overrides = node.putArray("overrides");
            budget.overrides().forEach(override -> write(override, overrides.addObject()));
        }
        ArrayNode per = node.putArray("per");
        budget.per().stream().sorted().forEach(dimension -> per.add(label(dimension)));
        if (budget.reserve() != Reserve.MAX) {
            node.put("reserve", label(budget.reserve()));
        }
        put(node, "server", budget.server());
        put(node, "tool", budget.tool());
        node.put("unit", label(budget.unit()));
        if (budget.unpriced() != Unpriced.REFUSE) {
            node.put("unpriced", label(budget.unpriced()));
        }
        write(budget.window(), node.putObject("window"));
    }

    static void put(ObjectNode node, String field, @Nullable String value) {
        if (value != null) {
            node.put(field, value);
        }
    }

    private static void write(LimitOverride override, ObjectNode node) {
        put(node, "agent", override.agent());
        node.put("limit", override.limit());
        put(node, "server", override.server());
        put(node, "tenant", override.tenant());
        put(node, "tool", override.tool());
    }

    private static void write(Window window, ObjectNode node) {
        switch (window) {
            case Window.Fixed fixed -> node.put("fixedMicros", fixed.micros());
            case Window.Sliding sliding -> node.put("slidingMicros", sliding.micros());
            case Window.Session session -> node.put("sessionIdleMicros", session.idleMicros());
            case Window.Calendar calendar -> {
                node.put("calendar", label(calendar.span()));
                node.put("zone", calendar.zone().getId());
            }
            case Window.Rate rate -> {
                node.put("burst", rate.burst());
                node.put("ratePeriodMicros", rate.periodMicros());
            }
            case Window.Lifetime _ -> node.put("lifetime", true);
            case Window.Open _ -> node.put("open", true);
        }
    }

    static Budget read(JsonNode node) {
        known(
                node,
                "budget",
                Set.of(
                        "limit",
                        "mode",
                        "name",
                        "notifyAt",
                        "overrides",
                        "per",
                        "reserve",
                        "server",
                        "tool",
                        "unit",
                        "unpriced",
                        "window"));
        Set<Dimension> per = EnumSet.noneOf(Dimension.class);
        for (JsonNode dimension : needed(node, "per")) {
            per.add(constant(Dimension.class, dimension.asText()));
        }
        return new Budget(
                text(node, "name"),
                constant(Unit.class, text(node, "unit")),
                whole(node, "limit"),
                window(needed(node, "window")),
                per,
                optional(node, "server"),
                optional(node, "tool"),
                constant(Mode.class, text(node, "mode")),
                node.has("reserve") ? constant(Reserve.class, text(node, "reserve")) : Reserve.MAX,
                node.has("unpriced")
                        ? constant(Unpriced.class, text(node, "unpriced"))
                        : Unpriced.REFUSE,
                overrides(node),
                percents(node));
    }

    private static List<LimitOverride> overrides(JsonNode node) {
        List<LimitOverride> overrides = new ArrayList<>();
        if (node.has("overrides")) {
            for (JsonNode item : list(node, "overrides")) {
                known(item, "override", Set.of("agent", "limit", "server", "tenant", "tool"));
                overrides.add(
                        new LimitOverride(
                                optional(item, "tenant"),
                                optional(item, "agent"),
                                optional(item, "server"),
                                optional(item, "tool"),
                                whole(item, "limit")));
            }
        }
        return overrides;
    }

    private static List<Integer> percents(JsonNode node) {
        List<Integer> percents = new ArrayList<>();
        if (node.has("notifyAt")) {
            for (JsonNode item : list(node, "notifyAt")) {
                percents.add((int) whole(item, "notifyAt", 1, 100));
            }
        }
        return percents;
    }

    private static Window window(JsonNode node) {
        if (node.has("calendar")) {
            known(node, "window", Set.of("calendar", "zone"));
            return new Window.Calendar(
                    constant(Window.Calendar.Span.class, text(node, "calendar")),
                    zone(text(node, "zone")));
        }
        if (node.has("ratePeriodMicros")) {
            known(node, "window", Set.of("burst", "ratePeriodMicros"));
            return new Window.Rate(whole(node, "ratePeriodMicros"), whole(node, "burst"));
        }
        known(
                node,
                "window",
                Set.of("fixedMicros", "lifetime", "open", "sessionIdleMicros", "slidingMicros"));
        if (node.size() != 1) {
            throw new StoreException("window: expected one of its kinds");
        }
        return switch (node.fieldNames().next()) {
            case "fixedMicros" -> new Window.Fixed(whole(node, "fixedMicros"));
            case "slidingMicros" -> new Window.Sliding(whole(node, "slidingMicros"));
            case "sessionIdleMicros" -> new Window.Session(whole(node, "sessionIdleMicros"));
            case "lifetime" -> new Window.Lifetime();
            default -> new Window.Open();
        };
    }

    private static ZoneId zone(String id) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new StoreException("unknown time zone '" + id + "'", e);
        }
    }
}
