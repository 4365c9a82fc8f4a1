package io.penstock.cli;

import io.penstock.cluster.operator.ChangeReport;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A change's report as JSON shows it. */
final class ChangeTree {
    private ChangeTree() {}

    static Map<String, Object> of(ChangeReport report) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("result", report.result().name().toLowerCase(Locale.ROOT));
        tree.put("message", report.message());
        tree.put("epoch", report.epoch());
        tree.put("replicas", OrderLines.tree(report.replicas()));
        return tree;
    }
}
