package io.penstock.cluster.membership;

import static java.lang.System.Logger.Level.INFO;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Fences incarnations that have not beaten for 15 s, closes them later, and forgets what is long
 * over. Without it every later stop would wait for the dead.
 *
 * <p><b>Guarantee.</b> A row is closed only after the lease that it names has passed on this
 * process's own clock since the row was seen fenced: until then its replica may still trust what it
 * knows, whatever the database's clock says, and a stop has to wait for it.
 *
 * <p><b>Threads.</b> Confined to the thread of the duties.
 *
 * <p><b>Source.</b> Protocol page, section 6.
 */
public final class ControlSweep implements DutyWork {
    /** The duty that it is part of. */
    public static final String DUTY = "sweep";

    /** How often. */
    public static final Duration INTERVAL = Duration.ofSeconds(2);

    private static final System.Logger LOG = System.getLogger(ControlSweep.class.getName());
    private static final int BATCH = 500;
    private static final String SWEEP =
            "select fenced, closed, waiting, waiting_ms from penstock.sweep_control_v1(?, ?, ?)";

    private final LongSupplier ticker;

    /** When each fenced incarnation may be closed. */
    private Map<UUID, Long> closableNanos = Map.of();

    /** {@code ticker}: monotonic nanoseconds of this process. */
    public ControlSweep(LongSupplier ticker) {
        this.ticker = ticker;
    }

    @Override
    public boolean run(Connection connection, Term term) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(SWEEP)) {
            s.setObject(1, term.holder().id());
            s.setLong(2, term.number());
            s.setArray(3, connection.createArrayOf("uuid", closable().toArray()));
            try (ResultSet r = s.executeQuery()) {
                r.next();
                int fenced = r.getInt(1);
                int closed = r.getInt(2);
                remember(r.getArray(3), r.getArray(4));
                if (fenced + closed > 0) {
                    LOG.log(INFO, "event=swept fenced={0} closed={1}", fenced, closed);
                }
                return fenced == BATCH || closed == BATCH;
            }
        }
    }

    private List<UUID> closable() {
        long now = ticker.getAsLong();
        List<UUID> closable = new ArrayList<>();
        closableNanos.forEach(
                (incarnation, at) -> {
                    if (now - at >= 0) {
                        closable.add(incarnation);
                    }
                });
        return closable;
    }

    /** Counts from the answer; those that wait already keep their time. */
    private void remember(Array incarnations, Array leases) throws SQLException {
        long now = ticker.getAsLong();
        UUID[] waiting = (UUID[]) incarnations.getArray();
        Integer[] leaseMillis = (Integer[]) leases.getArray();
        Map<UUID, Long> next = HashMap.newHashMap(waiting.length);
        for (int i = 0; i < waiting.length; i++) {
            long at = now + Duration.ofMillis(leaseMillis[i]).toNanos();
            next.put(waiting[i], closableNanos.getOrDefault(waiting[i], at));
        }
        closableNanos = next;
    }
}
