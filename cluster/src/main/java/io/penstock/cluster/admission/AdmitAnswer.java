package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Demand;
import io.penstock.budget.Window;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what {@code admit_v1} answered to a batch that it decided: {@code status, now, lock wait,
 * all, idx.., room.., held.., back.., charged.., admitted..}, one of each per counter, admitted per
 * group. What the batch tells by itself does not travel: what was charged and admitted where all
 * that was wanted fitted, and when numbered windows end.
 */
final class AdmitAnswer {
    private static final int HEADER = 4;

    private final long[] answer;
    private final Batch batch;
    private final int counters;
    private final int groups;
    private final boolean all;
    private final boolean plain;

    AdmitAnswer(long[] answer, Batch batch) {
        this.answer = answer;
        this.batch = batch;
        counters = batch.demands().size();
        groups = batch.groups().size();
        all = answer[3] == 1;
        plain = numbered(batch.demands());
        if (answer.length != HEADER + counters * (plain ? 3 : 4) + (all ? 0 : counters + groups)) {
            throw new IllegalStateException(
                    "admit_v1 answered %d numbers for %d counters and %d groups"
                            .formatted(answer.length, counters, groups));
        }
    }

    Decided decided() {
        List<Level> levels = new ArrayList<>(counters);
        for (int d = 0; d < counters; d++) {
            long index = column(0, d);
            long charged = all ? batch.demands().get(d).wanted() : column(plain ? 3 : 4, d);
            long left = column(1, d) - charged;
            levels.add(new Level(index, left, charged, column(2, d), back(d, index)));
        }
        int[] admitted = new int[groups];
        int first = answer.length - groups;
        for (int g = 0; g < groups; g++) {
            admitted[g] = all ? batch.groups().get(g).asked() : (int) answer[first + g];
        }
        return new Decided(answer[1], answer[2], admitted, levels);
    }

    private long column(int column, int demand) {
        return answer[HEADER + column * counters + demand];
    }

    private long back(int demand, long index) {
        if (!plain) {
            return column(3, demand);
        }
        return batch.demands().get(demand).counter().budget().window() instanceof Window.Fixed fixed
                ? (index + 1) * fixed.micros() - answer[1]
                : -1;
    }

    /** Whether all its windows are numbered ones, as the ledger was told by leaving kinds out. */
    private static boolean numbered(List<Demand> demands) {
        for (int d = 0; d < demands.size(); d++) {
            switch (demands.get(d).counter().budget().window()) {
                case Window.Fixed _, Window.Lifetime _, Window.Open _ -> {}
                case Window.Calendar _, Window.Session _, Window.Sliding _, Window.Rate _ -> {
                    return false;
                }
            }
        }
        return true;
    }
}
