package io.penstock.cluster.admission;

import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import io.penstock.cluster.control.ControlStates;
import io.penstock.cluster.control.ControlView;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A control state that tests set by hand; a refresh brings in what they said comes next. */
final class FixedControl implements ControlSource {
    static final long HOUR_NANOS = 3_600_000_000_000L;
    final AtomicInteger refreshes = new AtomicInteger();
    private final ControlView view;
    private volatile Runnable onRefresh = () -> {};

    FixedControl(long epoch, List<Budget> budgets) {
        view =
                new ControlView(
                        ControlStates.clear(
                                epoch,
                                budgets,
                                Map.of("s", Mode.ENFORCE),
                                System.nanoTime() + HOUR_NANOS));
    }

    void onRefresh(Runnable next) {
        onRefresh = next;
    }

    @Override
    public ControlView view() {
        return view;
    }

    @Override
    public void refresh(Connection connection) {
        refresh();
    }

    void refresh() {
        refreshes.incrementAndGet();
        onRefresh.run();
    }
}
