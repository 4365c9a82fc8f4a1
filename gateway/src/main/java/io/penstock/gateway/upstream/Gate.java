package io.penstock.gateway.upstream;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.upstream.Upstream.Permission;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Whether one upstream may be tried now: a circuit breaker, then a bulkhead.
 *
 * <p><b>Circuit.</b> Opens for {@link #OPEN} when at least {@link #FAILURES_PERCENT} % of at least
 * {@link #CALLS_MIN} calls of the last {@link #WINDOW_SECONDS} s failed, or took {@link
 * #SLOW_PERCENT} % of the server's timeout to answer; then {@link #PROBES} calls try it. A failure
 * is: unreachable, broken off, too late, not HTTP, or status 502, 503 or 504. Other statuses are
 * the server's own word about one request: were a 500 a failure, one agent's bad input could shut
 * out all the others.
 *
 * <p><b>Bulkhead.</b> {@code max-concurrent} calls at once; nobody waits for a place.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Never blocks.
 */
final class Gate {
    static final float FAILURES_PERCENT = 50;
    static final int CALLS_MIN = 20;
    static final int WINDOW_SECONDS = 10;
    static final Duration OPEN = Duration.ofSeconds(5);
    static final int PROBES = 3;
    static final int SLOW_PERCENT = 90;

    private static final System.Logger LOG = System.getLogger(Gate.class.getName());
    private static final Permission.Refused CIRCUIT_OPEN = new Permission.Refused("circuit-open");
    private static final Permission.Refused BULKHEAD_FULL = new Permission.Refused("bulkhead-full");

    private final CircuitBreaker circuit;
    private final Bulkhead bulkhead;
    private final AtomicReference<CircuitBreaker.State> told =
            new AtomicReference<>(CircuitBreaker.State.CLOSED);

    Gate(ServerConfig config, LongSupplier nanos) {
        circuit = CircuitBreaker.of(config.name(), circuitConfig(config, nanos));
        bulkhead =
                Bulkhead.of(
                        config.name(),
                        BulkheadConfig.custom()
                                .maxConcurrentCalls(config.maxConcurrent())
                                .maxWaitDuration(Duration.ZERO)
                                .build());
    }

    private static CircuitBreakerConfig circuitConfig(ServerConfig config, LongSupplier nanos) {
        Duration slow = config.timeout().multipliedBy(SLOW_PERCENT).dividedBy(100);
        return CircuitBreakerConfig.custom()
                .slidingWindow(WINDOW_SECONDS, CALLS_MIN, SlidingWindowType.TIME_BASED)
                .failureRateThreshold(FAILURES_PERCENT)
                .slowCallRateThreshold(FAILURES_PERCENT)
                .slowCallDurationThreshold(slow)
                .waitDurationInOpenState(OPEN)
                .permittedNumberOfCallsInHalfOpenState(PROBES)
                // A probe may be a stream that lasts for hours: without its answer, ask others.
                .maxWaitDurationInHalfOpenState(
                        config.connectTimeout().plus(config.timeout()).plus(OPEN))
                .clock(new TickerClock(nanos))
                .currentTimestampFunction(clock -> nanos.getAsLong(), TimeUnit.NANOSECONDS)
                .build();
    }

    Permission permit() {
        if (!circuit.tryAcquirePermission()) {
            tellChange();
            return CIRCUIT_OPEN;
        }
        if (!bulkhead.tryAcquirePermission()) {
            circuit.releasePermission();
            return BULKHEAD_FULL;
        }
        return new Place();
    }

    /** {@code closed}, {@code open} or {@code half-open}. */
    String state() {
        return word(circuit.getState());
    }

    int inUse() {
        return bulkhead.getMetrics().getMaxAllowedConcurrentCalls()
                - bulkhead.getMetrics().getAvailableConcurrentCalls();
    }

    private static String word(CircuitBreaker.State state) {
        return switch (state) {
            case CLOSED, DISABLED, METRICS_ONLY -> "closed";
            case OPEN, FORCED_OPEN -> "open";
            case HALF_OPEN -> "half-open";
        };
    }

    /** Logs a change once; an event listener would cost every call an event object. */
    private void tellChange() {
        CircuitBreaker.State now = circuit.getState();
        CircuitBreaker.State before = told.get();
        if (now != before && told.compareAndSet(before, now)) {
            LOG.log(
                    now == CircuitBreaker.State.CLOSED ? Level.INFO : Level.WARNING,
                    "event=circuit server={0} from={1} to={2}",
                    circuit.getName(),
                    word(before),
                    word(now));
        }
    }

    private static boolean failure(int status) {
        return status == 502 || status == 503 || status == 504;
    }

    private final class Place implements Permission.Granted {
        private final AtomicBoolean ended = new AtomicBoolean();

        @Override
        public void answered(int status, long elapsedNanos) {
            if (failure(status)) {
                failed(
                        new UpstreamException(UpstreamException.Kind.BROKE_OFF, "bad gateway"),
                        elapsedNanos);
                return;
            }
            end();
            circuit.onSuccess(elapsedNanos, TimeUnit.NANOSECONDS);
            tellChange();
        }

        @Override
        public void failed(Throwable cause, long elapsedNanos) {
            end();
            circuit.onError(elapsedNanos, TimeUnit.NANOSECONDS, cause);
            tellChange();
        }

        @Override
        public void unused() {
            end();
            circuit.releasePermission();
        }

        private void end() {
            if (!ended.compareAndSet(false, true)) {
                throw new IllegalStateException("the permission was ended before");
            }
            bulkhead.onComplete();
        }
    }
}
