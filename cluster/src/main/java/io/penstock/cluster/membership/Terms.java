package io.penstock.cluster.membership;

import io.penstock.cluster.control.Incarnation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which duties this replica leads, as far as it may trust that.
 *
 * <p>The database gives a duty away 15 s after its last renewal; the holder gives up 10 s after the
 * renewal was <em>begun</em>, on its own monotonic clock. Writes are safe either way, since each
 * checks its term; this keeps a leader from work that would be refused.
 *
 * <p><b>Threads.</b> Synchronized.
 *
 * <p><b>Source.</b> River's leadership page (trust windows, terms); the pure form follows
 * db-scheduler's heartbeat state.
 */
final class Terms {
    static final Duration RENEW_EVERY = Duration.ofSeconds(5);
    static final Duration GIVE_UP_AFTER = Duration.ofSeconds(10);

    private record Held(Term term, long renewedNanos) {}

    private final Map<String, Held> held = new HashMap<>();

    /** A claim or a renewal that was begun at that moment succeeded. */
    synchronized void won(Term term, long begunNanos) {
        held.put(term.duty(), new Held(term, begunNanos));
    }

    /** A renewal of these was answered; those that the answer does not name are lost. */
    synchronized List<Term> renewed(
            Collection<Term> asked, Set<String> stillHeld, long begunNanos) {
        List<Term> lost = new ArrayList<>();
        for (Term term : asked) {
            if (stillHeld.contains(term.duty())) {
                won(term, begunNanos);
            } else {
                held.remove(term.duty());
                lost.add(term);
            }
        }
        return lost;
    }

    /** Forgets what another life held, and what was not renewed in time. Returns those terms. */
    synchronized List<Term> expire(Incarnation present, long nowNanos) {
        List<Term> over = new ArrayList<>();
        held.values()
                .removeIf(
                        h -> {
                            boolean gone =
                                    !h.term().holder().equals(present)
                                            || nowNanos - h.renewedNanos()
                                                    >= GIVE_UP_AFTER.toNanos();
                            if (gone) {
                                over.add(h.term());
                            }
                            return gone;
                        });
        return over;
    }

    /** Those to renew now. */
    synchronized List<Term> due(long nowNanos) {
        return held.values().stream()
                .filter(h -> nowNanos - h.renewedNanos() >= RENEW_EVERY.toNanos())
                .map(Held::term)
                .toList();
    }

    /** The term of a duty that this replica leads, or null. */
    synchronized @Nullable Term of(String duty) {
        Held h = held.get(duty);
        return h == null ? null : h.term();
    }

    /** The database says that this term is over. */
    synchronized void lost(Term term) {
        held.values().removeIf(h -> h.term().equals(term));
    }

    synchronized Set<String> duties() {
        return new TreeSet<>(held.keySet());
    }

    synchronized void clear() {
        held.clear();
    }
}
