package io.penstock.gateway.upstream;

/**
 * One upstream server: its pool of kept connections, circuit breaker and bulkhead.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
public interface Upstream extends AutoCloseable {

    /** Asks circuit breaker and bulkhead; asked before admission. */
    Permission permit();

    /**
     * A connection that is ready to be written to: kept from an earlier exchange, or connected now
     * (DNS, TCP and TLS included).
     *
     * @throws UpstreamException if there is none within the connect timeout
     */
    Exchange open();

    @Override
    void close();

    /** What {@link #permit} says. */
    sealed interface Permission {
        /** May go on; exactly one of the methods must be called in the end. */
        non-sealed interface Granted extends Permission {
            /**
             * The upstream answered; 502, 503 and 504 count as failures.
             *
             * @param elapsedNanos from the first byte sent to the answer's head: how long a stream
             *     then lasts says nothing about the upstream
             */
            void answered(int status, long elapsedNanos);

            /** It could not be reached, broke off, or was too late. */
            void failed(Throwable cause, long elapsedNanos);

            /** It was never tried, or ended for a reason that says nothing about the upstream. */
            void unused();
        }

        /**
         * Must not be tried now; {@code reason} is {@code circuit-open} or {@code bulkhead-full}.
         */
        record Refused(String reason) implements Permission {}
    }
}
