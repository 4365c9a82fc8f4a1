package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.UpstreamException.Kind.UNREACHABLE;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns one host name into addresses within a time limit, which the platform's resolver has not.
 *
 * <p><b>Bounds.</b> At most {@link #LOOKUPS} threads wait for the resolver; an answer is used for
 * {@link #FRESH_NANOS}, so that a burst of new connections asks once or twice.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class Names {
    private static final int LOOKUPS = 4;
    private static final long FRESH_NANOS = 5_000_000_000L;

    private record Known(InetAddress[] addresses, long atNanos) {}

    /** What a lookup ended with: addresses, or the failure. */
    private record Found(InetAddress @Nullable [] addresses, @Nullable Exception failure) {}

    private final String host;
    private final LongSupplier nanos;
    private final @Nullable InetAddress literal;
    private final Semaphore lookups = new Semaphore(LOOKUPS);
    private volatile @Nullable Known known;

    Names(String host, LongSupplier nanos) {
        this.host = host;
        this.nanos = nanos;
        literal = literal(host);
    }

    private static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException isAName) {
            return null;
        }
    }

    /** The host's addresses, at least one. */
    InetAddress[] addresses(long deadlineNanos) {
        if (literal != null) {
            return new InetAddress[] {literal};
        }
        Known last = known;
        if (last != null && nanos.getAsLong() - last.atNanos < FRESH_NANOS) {
            return last.addresses;
        }
        try {
            if (!lookups.tryAcquire(deadlineNanos - nanos.getAsLong(), TimeUnit.NANOSECONDS)) {
                throw tooLate();
            }
            InetAddress[] found = lookUp(deadlineNanos);
            known = new Known(found, nanos.getAsLong());
            return found;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UpstreamException(UNREACHABLE, "interrupted while connecting", e);
        }
    }

    private InetAddress[] lookUp(long deadlineNanos) throws InterruptedException {
        ArrayBlockingQueue<Found> answer = new ArrayBlockingQueue<>(1);
        // A platform thread: a resolver that hangs would hold a carrier of all virtual ones.
        Thread.ofPlatform()
                .daemon()
                .name("upstream-name-lookup")
                .start(
                        () -> {
                            try {
                                answer.add(new Found(InetAddress.getAllByName(host), null));
                            } catch (UnknownHostException | RuntimeException e) {
                                answer.add(new Found(null, e));
                            } finally {
                                lookups.release();
                            }
                        });
        Found found = answer.poll(deadlineNanos - nanos.getAsLong(), TimeUnit.NANOSECONDS);
        if (found == null) {
            throw tooLate();
        }
        if (found.addresses == null) {
            throw new UpstreamException(
                    UNREACHABLE, "the upstream's name is not known", found.failure);
        }
        return found.addresses;
    }

    private static UpstreamException tooLate() {
        return new UpstreamException(UNREACHABLE, "the upstream's name was not resolved in time");
    }
}
