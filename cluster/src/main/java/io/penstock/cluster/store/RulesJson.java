package io.penstock.cluster.store;

import static io.penstock.cluster.store.JsonFields.constant;
import static io.penstock.cluster.store.JsonFields.known;
import static io.penstock.cluster.store.JsonFields.label;
import static io.penstock.cluster.store.JsonFields.list;
import static io.penstock.cluster.store.JsonFields.needed;
import static io.penstock.cluster.store.JsonFields.whole;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.budget.Budget;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.PriceList;
import io.penstock.cluster.control.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Rules as the document of a revision: canonical, so that equal rules give equal bytes whatever
 * order their file had (that of prices counts and is kept), and strict, so that a field that only a
 * later version knows is an error and never a limit that is left out.
 */
public final class RulesJson {
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private RulesJson() {}

    /** The document; the revision's number is not part of it. */
    public static String encode(Rules rules) {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode budgets = root.putArray("budgets");
        rules.budgets().all().stream()
                .sorted(Comparator.comparing(Budget::name))
                .forEach(budget -> BudgetJson.write(budget, budgets.addObject()));
        root.put("format", FORMAT);
        root.put("leaseMillis", rules.lease().toMillis());
        if (!rules.budgets().prices().all().isEmpty()) {
            ArrayNode prices = root.putArray("prices");
            rules.budgets()
                    .prices()
                    .all()
                    .forEach(price -> PriceJson.write(price, prices.addObject()));
        }
        ObjectNode servers = root.putObject("servers");
        new TreeMap<>(rules.servers()).forEach((name, mode) -> servers.put(name, label(mode)));
        try {
            return JSON.writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new StoreException("cannot write rules", e);
        }
    }

    /** Reads a document back, as the revision of that number. */
    public static Rules decode(long revision, String document) {
        try {
            JsonNode root = JSON.readTree(document);
            known(
                    root,
                    "document",
                    Set.of("budgets", "format", "leaseMillis", "prices", "servers"));
            if (whole(root, "format") != FORMAT) {
                throw new StoreException("format " + root.get("format") + ", this program reads 1");
            }
            return new Rules(
                    revision,
                    new BudgetSet(budgets(root), prices(root)),
                    servers(needed(root, "servers")),
                    Duration.ofMillis(whole(root, "leaseMillis")));
        } catch (JsonProcessingException | IllegalArgumentException | StoreException e) {
            throw new StoreException(
                    "revision "
                            + revision
                            + " cannot be read by this version of penstock: "
                            + e.getMessage(),
                    e);
        }
    }

    private static List<Budget> budgets(JsonNode root) {
        List<Budget> budgets = new ArrayList<>();
        for (JsonNode node : list(root, "budgets")) {
            budgets.add(BudgetJson.read(node));
        }
        return budgets;
    }

    /** Their order counts: the first that matches a tool is its price. */
    private static PriceList prices(JsonNode root) {
        List<Price> prices = new ArrayList<>();
        if (root.has("prices")) {
            for (JsonNode node : list(root, "prices")) {
                prices.add(PriceJson.read(node));
            }
        }
        return new PriceList(prices);
    }

    private static Map<String, Mode> servers(JsonNode node) {
        if (!node.isObject()) {
            throw new StoreException("servers: expected an object");
        }
        Map<String, Mode> servers = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            servers.put(entry.getKey(), constant(Mode.class, entry.getValue().asText()));
        }
        return servers;
    }
}
