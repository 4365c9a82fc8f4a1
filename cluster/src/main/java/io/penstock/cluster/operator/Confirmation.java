package io.penstock.cluster.operator;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Waits until every replica is known to judge by an epoch, or to have no lease.
 *
 * <p><b>Guarantee.</b> A replica counts as confirmed if the same incarnation has acknowledged that
 * epoch or a later one, or if the largest lease among the listed rows has passed on this process's
 * own monotonic clock since the answer that listed them came in. The database's clock plays no
 * part.
 *
 * <p><b>Failure.</b> A broken connection is opened again; the wait on the own clock goes on.
 *
 * <p><b>Source.</b> Protocol page, section 4.
 */
final class Confirmation {
    /** Lists first and polls afterwards: one statement, planned once on a fresh connection. */
    private static final String ROWS =
            "select replica, incarnation, lease_ms, acked_epoch, cut_epoch, cut, open"
                    + " from penstock.registered order by replica, started_at";

    /** While healthy replicas answer. */
    private static final Duration FIRST_PAUSE = Duration.ofNanos(250_000);

    private static final Duration FIRST_FOR = Duration.ofMillis(20);

    /** Once it is about those that do not. */
    private static final Duration POLL_PAUSE = Duration.ofMillis(2);

    private final OrderSession session;
    private final Progress progress;
    private final long epoch;
    private final long orderedNanos;
    private final boolean openCounts;
    private final Map<UUID, Listed> listed = new LinkedHashMap<>();
    private final Map<UUID, ReplicaAnswer> answers = new LinkedHashMap<>();
    private long listedNanos;
    private long leaseNanos;
    private boolean closedTold;

    private record Listed(String replica, UUID incarnation) {}

    private record Row(
            Listed replica, int leaseMillis, long ackedEpoch, long cutEpoch, int cut, int open) {}

    /**
     * What came of the wait.
     *
     * @param answers one for each replica that was registered
     */
    record Confirmed(boolean complete, List<ReplicaAnswer> answers) {
        int open() {
            return answers.stream().mapToInt(ReplicaAnswer::open).sum();
        }
    }

    /**
     * @param orderedNanos when the order was sent: answers are timed from then
     * @param openCounts matching open calls keep it waiting too
     */
    Confirmation(
            OrderSession session,
            Progress progress,
            long epoch,
            long orderedNanos,
            boolean openCounts) {
        this.session = session;
        this.progress = progress;
        this.epoch = epoch;
        this.orderedNanos = orderedNanos;
        this.openCounts = openCounts;
    }

    /** Waits; the order is recorded. */
    Confirmed await(long deadlineNanos) {
        try {
            session.untilKnown(this::list, deadlineNanos, progress);
        } catch (OrderSession.Failed e) {
            progress.retrying("replicas cannot be listed: " + e.getMessage());
            return new Confirmed(false, List.of());
        }
        while (true) {
            fence();
            int open = open();
            if (answers.size() == listed.size()) {
                if (open == 0) {
                    return confirmed(true);
                }
                tellClosed(open);
            }
            if (session.now() - deadlineNanos >= 0) {
                return confirmed(false);
            }
            boolean first = session.now() - listedNanos < FIRST_FOR.toNanos();
            session.pause(first ? FIRST_PAUSE : POLL_PAUSE);
            poll();
        }
    }

    private Void list(Connection connection) throws SQLException {
        List<Row> rows = rows(connection);
        listedNanos = session.now();
        listed.clear();
        int leaseMillis = 0;
        for (Row row : rows) {
            listed.put(row.replica().incarnation(), row.replica());
            leaseMillis = Math.max(leaseMillis, row.leaseMillis());
        }
        leaseNanos = Duration.ofMillis(leaseMillis).toNanos();
        rows.forEach(this::acknowledged);
        return null;
    }

    private void poll() {
        try {
            rows(session.connection()).forEach(this::acknowledged);
        } catch (SQLException e) {
            session.drop();
            progress.retrying(OrderSession.reason(e));
            session.pause(Duration.ofMillis(50));
        }
    }

    private static List<Row> rows(Connection connection) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(ROWS);
                ResultSet r = s.executeQuery()) {
            List<Row> rows = new ArrayList<>();
            while (r.next()) {
                rows.add(
                        new Row(
                                new Listed(r.getString(1), r.getObject(2, UUID.class)),
                                r.getInt(3),
                                r.getLong(4),
                                r.getLong(5),
                                r.getInt(6),
                                r.getInt(7)));
            }
            return rows;
        }
    }

    private void acknowledged(Row row) {
        if (row.ackedEpoch() < epoch) {
            return;
        }
        answer(
                row.replica().incarnation(),
                ReplicaAnswer.Kind.ACKED,
                row.cutEpoch() >= epoch ? row.cut() : 0,
                openCounts ? row.open() : 0);
    }

    private void fence() {
        if (session.now() - listedNanos < leaseNanos) {
            return;
        }
        for (UUID incarnation : listed.keySet()) {
            if (!answers.containsKey(incarnation)) {
                answer(incarnation, ReplicaAnswer.Kind.FENCED, 0, 0);
            }
        }
    }

    private void answer(UUID incarnation, ReplicaAnswer.Kind kind, int cut, int open) {
        Listed replica = listed.get(incarnation);
        ReplicaAnswer before = answers.get(incarnation);
        if (replica == null || (before != null && before.kind() == kind && before.open() == open)) {
            return;
        }
        ReplicaAnswer answer =
                new ReplicaAnswer(
                        replica.replica(),
                        incarnation,
                        kind,
                        Duration.ofNanos(session.now() - orderedNanos),
                        cut,
                        open);
        answers.put(incarnation, answer);
        if (before == null || open == 0) {
            progress.answered(answer);
        }
    }

    private int open() {
        return answers.values().stream().mapToInt(ReplicaAnswer::open).sum();
    }

    private void tellClosed(int open) {
        if (!closedTold) {
            closedTold = true;
            progress.closed(open);
        }
    }

    private Confirmed confirmed(boolean complete) {
        List<ReplicaAnswer> all = new ArrayList<>();
        for (Listed replica : listed.values()) {
            @Nullable ReplicaAnswer answer = answers.get(replica.incarnation());
            all.add(answer == null ? silent(replica) : answer);
        }
        return new Confirmed(complete, all);
    }

    private ReplicaAnswer silent(Listed replica) {
        return new ReplicaAnswer(
                replica.replica(),
                replica.incarnation(),
                ReplicaAnswer.Kind.SILENT,
                Duration.ofNanos(session.now() - orderedNanos),
                0,
                0);
    }
}
