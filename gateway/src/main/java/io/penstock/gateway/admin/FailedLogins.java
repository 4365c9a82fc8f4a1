package io.penstock.gateway.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts failed logins, so that guessing is slow and does not fill the log.
 *
 * <p>A login with a right token never comes here: a stop must not wait because somebody else
 * guesses from the same address.
 *
 * <p><b>Bounds.</b> {@link #EACH_MAX} a minute and address, {@link #ALL_MAX} a minute in all,
 * {@link #ADDRESSES_MAX} addresses remembered, the ones seen last.
 *
 * <p><b>Threads.</b> Safe for concurrent use; the monitor guards all fields.
 */
final class FailedLogins {
    static final int EACH_MAX = 10;
    static final int ALL_MAX = 100;
    static final int ADDRESSES_MAX = 1024;
    static final long WINDOW_NANOS = 60_000_000_000L;

    private static final class Count {
        private long sinceNanos;
        private int failures;

        private Count(long nowNanos) {
            sinceNanos = nowNanos;
        }

        private boolean tooMany(long nowNanos, int most) {
            if (nowNanos - sinceNanos >= WINDOW_NANOS) {
                sinceNanos = nowNanos;
                failures = 0;
            }
            return ++failures > most;
        }
    }

    private final LongSupplier ticker;
    private final Count all;
    private final Map<String, Count> byAddress = new LinkedHashMap<>(64, 0.75f, true);

    FailedLogins(LongSupplier ticker) {
        this.ticker = ticker;
        all = new Count(ticker.getAsLong());
    }

    /** Counts one; whether there were too many by now. */
    synchronized boolean tooMany(SocketAddress peer) {
        long now = ticker.getAsLong();
        Count count = byAddress.computeIfAbsent(address(peer), key -> new Count(now));
        if (byAddress.size() > ADDRESSES_MAX) {
            byAddress.remove(byAddress.keySet().iterator().next());
        }
        boolean allTooMany = all.tooMany(now, ALL_MAX);
        return count.tooMany(now, EACH_MAX) || allTooMany;
    }

    private static String address(SocketAddress peer) {
        @Nullable InetAddress address =
                peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
        return address == null ? "" : address.getHostAddress();
    }
}
