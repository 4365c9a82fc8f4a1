package io.penstock.cluster.admission;

import io.penstock.budget.Counter;
import io.penstock.budget.Settlement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A settlement as the arrays that the ledger takes; counters by number, from 1. */
final class SettlementColumns {
    private final Map<String, Integer> places = new LinkedHashMap<>();
    private final List<String> budgets = new ArrayList<>();

    final int[] refundKeys;
    final long[] refundIndexes;
    final long[] refundAmounts;
    final String[] calls;
    final long[] admittedMicros;
    final String[] holdCalls;
    final int[] holdKeys;
    final long[] holdActuals;
    final int[] holdFates;

    SettlementColumns(Settlement units) {
        int refunds = units.refunds().size();
        refundKeys = new int[refunds];
        refundIndexes = new long[refunds];
        refundAmounts = new long[refunds];
        for (int i = 0; i < refunds; i++) {
            Settlement.Refund refund = units.refunds().get(i);
            refundKeys[i] = place(refund.counter());
            refundIndexes[i] = refund.index();
            refundAmounts[i] = refund.amount();
        }
        int unsent = units.unsent().size();
        calls = new String[unsent];
        admittedMicros = new long[unsent];
        for (int i = 0; i < unsent; i++) {
            calls[i] = units.unsent().get(i).call().toString();
            admittedMicros[i] = units.unsent().get(i).admittedMicros();
        }
        int holds = units.holds().size();
        holdCalls = new String[holds];
        holdKeys = new int[holds];
        holdActuals = new long[holds];
        holdFates = new int[holds];
        for (int i = 0; i < holds; i++) {
            Settlement.Settled settled = units.holds().get(i);
            holdCalls[i] = settled.call().toString();
            holdKeys[i] = place(settled.counter());
            holdActuals[i] = settled.actual();
            holdFates[i] = settled.fate().ordinal();
        }
    }

    private int place(Counter counter) {
        Integer known = places.get(counter.key());
        if (known != null) {
            return known;
        }
        int place = places.size() + 1;
        places.put(counter.key(), place);
        budgets.add(counter.budget().name());
        return place;
    }

    String[] keys() {
        return places.keySet().toArray(String[]::new);
    }

    String[] budgets() {
        return budgets.toArray(String[]::new);
    }
}
