package io.penstock.cluster.membership;

import static java.lang.System.Logger.Level.INFO;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Fences incarnations that have not beaten for 15 s, closes those fenced before, and forgets what
 * is long over. Without it every later stop would wait for the dead.
 */
public final class ControlSweep implements DutyWork {
    /** The duty that it is part of. */
    public static final String DUTY = "sweep";

    /** How often. */
    public static final Duration INTERVAL = Duration.ofSeconds(2);

    private static final System.Logger LOG = System.getLogger(ControlSweep.class.getName());
    private static final int BATCH = 500;
    private static final String SWEEP =
            "select fenced, closed from penstock.sweep_control_v1(?, ?)";

    @Override
    public boolean run(Connection connection, Term term) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(SWEEP)) {
            s.setObject(1, term.holder().id());
            s.setLong(2, term.number());
            try (ResultSet r = s.executeQuery()) {
                r.next();
                int fenced = r.getInt(1);
                int closed = r.getInt(2);
                if (fenced + closed > 0) {
                    LOG.log(INFO, "event=swept fenced={0} closed={1}", fenced, closed);
                }
                return fenced == BATCH || closed == BATCH;
            }
        }
    }
}
