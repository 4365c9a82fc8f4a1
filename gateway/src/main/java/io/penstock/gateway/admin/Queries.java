package io.penstock.gateway.admin;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.Rules;
import io.penstock.gateway.admin.StatusSource.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the database for what the operators' API shows, and does not let curious operators load it
 * or wait for it when it is away.
 *
 * <p><b>Bounds.</b> {@link #AT_ONCE} queries at once, {@link #ROWS_MAX} rows each. After {@link
 * #FAILURES} failures of the last ten, none for {@link #PAUSE}. Orders to stop do not pass here.
 */
final class Queries {
    static final int ROWS_MAX = 10_000;
    static final int AT_ONCE = 4;
    static final int FAILURES = 5;
    static final Duration PAUSE = Duration.ofSeconds(2);

    private static final int WINDOW = 10;

    /** There is no answer now; the message is for people. */
    static final class Unavailable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final StatusSource source;
    private final Bulkhead bulkhead =
            Bulkhead.of(
                    "admin",
                    BulkheadConfig.custom()
                            .maxConcurrentCalls(AT_ONCE)
                            .maxWaitDuration(Duration.ZERO)
                            .build());
    private final CircuitBreaker circuit =
            CircuitBreaker.of(
                    "admin",
                    CircuitBreakerConfig.custom()
                            .slidingWindowSize(WINDOW)
                            .minimumNumberOfCalls(FAILURES)
                            .failureRateThreshold(100f * FAILURES / WINDOW)
                            .waitDurationInOpenState(PAUSE)
                            .permittedNumberOfCallsInHalfOpenState(1)
                            .maxWaitDurationInHalfOpenState(PAUSE.multipliedBy(5))
                            .build());

    Queries(StatusSource source) {
        this.source = source;
    }

    /**
     * The rows of a view, their columns named as JSON members are.
     *
     * @throws Unavailable where there is no answer now
     */
    List<Map<String, @Nullable Object>> rows(View view) {
        return asked(() -> source.rows(view, ROWS_MAX)).stream().map(Queries::named).toList();
    }

    /**
     * What every budget would make of a call.
     *
     * @throws Unavailable where there is no answer now
     */
    List<Map<String, Object>> explain(Rules rules, Subject subject) {
        return asked(() -> source.explain(rules, subject));
    }

    private <T> T asked(Supplier<T> question) {
        try {
            return bulkhead.executeSupplier(() -> circuit.executeSupplier(question));
        } catch (CallNotPermittedException e) {
            throw new Unavailable("the database did not answer; asked again in a moment", e);
        } catch (io.github.resilience4j.bulkhead.BulkheadFullException e) {
            throw new Unavailable("too many questions at once", e);
        } catch (RuntimeException e) {
            throw new Unavailable("the database does not answer", e);
        }
    }

    private static Map<String, @Nullable Object> named(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        row.forEach((column, value) -> named.put(member(column), value));
        return named;
    }

    /** {@code window_seconds} becomes {@code windowSeconds}. */
    static String member(String column) {
        StringBuilder name = new StringBuilder(column.length());
        for (String word : column.toLowerCase(Locale.ROOT).split("_", -1)) {
            if (word.isEmpty()) {
                continue;
            }
            name.append(name.isEmpty() ? word.charAt(0) : Character.toUpperCase(word.charAt(0)));
            name.append(word, 1, word.length());
        }
        return name.toString();
    }

    /** Several views; one that cannot be had does not hide the others. */
    List<String> collect(Map<String, @Nullable Object> into, Map<String, View> wanted) {
        List<String> problems = new ArrayList<>();
        wanted.forEach(
                (name, view) -> {
                    if (!problems.isEmpty()) {
                        into.put(name, null);
                        return;
                    }
                    try {
                        into.put(name, rows(view));
                    } catch (Unavailable e) {
                        into.put(name, null);
                        problems.add(String.valueOf(e.getMessage()));
                    }
                });
        return problems;
    }
}
