package io.penstock.cluster.store;

import static io.penstock.cluster.store.JsonFields.constant;
import static io.penstock.cluster.store.JsonFields.known;
import static io.penstock.cluster.store.JsonFields.label;
import static io.penstock.cluster.store.JsonFields.optional;
import static io.penstock.cluster.store.JsonFields.text;
import static io.penstock.cluster.store.JsonFields.whole;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.budget.Price;
import io.penstock.budget.Unit;
import java.util.Set;

/** One price in a revision's document. */
final class PriceJson {
    private PriceJson() {}

    static void write(Price price, ObjectNode node) {
        switch (price.amount()) {
            case Price.Known known -> node.put("amount", known.units());
            case Price.Measured measured -> {
                node.put("each", measured.each());
                switch (measured.source()) {
                    case Price.ResponseHeader header -> node.put("header", header.name());
                    case Price.ResultPointer _, Price.BodyBytes _ -> {}
                }
                node.put("max", measured.max());
                if (measured.source() instanceof Price.ResultPointer(String pointer)) {
                    node.put("pointer", pointer);
                }
            }
        }
        BudgetJson.put(node, "server", price.server());
        BudgetJson.put(node, "tool", price.tool());
        node.put("unit", label(price.unit()));
    }

    static Price read(JsonNode node) {
        known(
                node,
                "price",
                Set.of("amount", "each", "header", "max", "pointer", "server", "tool", "unit"));
        Unit unit = constant(Unit.class, text(node, "unit"));
        return new Price(optional(node, "server"), optional(node, "tool"), unit, amount(node));
    }

    private static Price.Amount amount(JsonNode node) {
        if (node.has("amount") == node.has("max")) {
            throw new StoreException("price: expected either amount or max");
        }
        return node.has("amount")
                ? new Price.Known(whole(node, "amount"))
                : new Price.Measured(whole(node, "max"), source(node), whole(node, "each"));
    }

    private static Price.Source source(JsonNode node) {
        String header = optional(node, "header");
        String pointer = optional(node, "pointer");
        if (header != null && pointer != null) {
            throw new StoreException("price: expected either header or pointer");
        }
        if (header != null) {
            return new Price.ResponseHeader(header);
        }
        return pointer == null ? new Price.BodyBytes() : new Price.ResultPointer(pointer);
    }
}
