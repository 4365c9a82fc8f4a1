package io.penstock.gateway.admin;

import io.penstock.gateway.admin.StatusSource.View;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the used share of the budgets fresh for the metrics.
 *
 * <p><b>Failure.</b> What cannot be read now is left out, so that an alert on an old value does not
 * come from a database that is away.
 *
 * <p><b>Threads.</b> One virtual thread between {@link #start} and {@link #close}.
 */
final class BudgetRatios implements AutoCloseable {
    static final Duration PERIOD = Duration.ofSeconds(15);

    private final Queries queries;
    private final Meters meters;
    private final CountDownLatch closed = new CountDownLatch(1);

    BudgetRatios(Queries queries, Meters meters) {
        this.queries = queries;
        this.meters = meters;
    }

    void start() {
        Thread.ofVirtual().name("penstock-budget-ratios").start(this::run);
    }

    private void run() {
        try {
            do {
                refresh();
            } while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void refresh() {
        try {
            meters.budgets(ratios(queries.rows(View.BUDGET_RATIOS)));
        } catch (Queries.Unavailable e) {
            meters.budgets(Map.of());
        }
    }

    private static Map<String, Double> ratios(List<Map<String, @Nullable Object>> rows) {
        Map<String, Double> ratios = new HashMap<>();
        for (Map<String, @Nullable Object> row : rows) {
            if (row.get("budget") instanceof String budget
                    && row.get("ratio") instanceof Number ratio) {
                ratios.put(budget, ratio.doubleValue());
            }
        }
        return ratios;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
