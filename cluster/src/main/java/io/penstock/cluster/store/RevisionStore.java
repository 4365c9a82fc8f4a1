package io.penstock.cluster.store;

import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Revisions of the cluster-wide configuration.
 *
 * <p><b>Guarantee.</b> {@link #apply} is a compare-and-set against the current revision, and the
 * control epoch rises in the same transaction: of several operators one wins, and every replica
 * judges by the new rules from the epoch on.
 *
 * <p><b>Failure.</b> A {@link SQLException} whose class is unknown leaves the outcome open; repeat
 * the call: it answers {@link Applied.Unchanged} if the first attempt counted.
 *
 * <p><b>Threads.</b> None of its own; the connection is the caller's, in autocommit mode.
 */
public final class RevisionStore {
    private static final String APPLY =
            "select revision, epoch from penstock.apply_revision_v1(?, ?, ?, ?)";
    private static final String FIRST =
            "select revision, epoch from penstock.first_revision_v1(?, ?)";
    private static final String COLUMNS =
            "select revision, hash, document, applied_at, applied_by, reason, epoch, current"
                    + " from penstock.revisions ";
    private static final String CURRENT = COLUMNS + "where current";
    private static final String ONE = COLUMNS + "where revision = ?";
    private static final String SAME =
            COLUMNS + "where document = ? order by revision desc limit 1";
    private static final String LIST = COLUMNS + "order by revision desc limit ?";

    private RevisionStore() {}

    /**
     * A revision as it is stored.
     *
     * @param hash SHA-256 of the document
     * @param epoch the control epoch it began with
     */
    public record Revision(
            long number,
            String hash,
            String document,
            Instant appliedAt,
            String appliedBy,
            @Nullable String reason,
            long epoch,
            boolean current) {
        /** What replicas judge by under it. */
        public Rules rules() {
            return RulesJson.decode(number, document);
        }
    }

    /** What became of an attempt to make a revision. */
    public sealed interface Applied {
        /**
         * @param epoch what a replica must have installed to judge by it
         */
        record Made(long revision, long epoch) implements Applied {}

        /** The current revision says the same already. */
        record Unchanged(long revision, long epoch) implements Applied {}

        /** Somebody else made one meanwhile. */
        record Conflict(long expected, long current) implements Applied {}
    }

    /** How a replica's file stands to the cluster's rules. */
    public sealed interface Adoption {
        /** The rules that the replica starts with. */
        record First(Revision current) implements Adoption {}

        record Same(Revision current) implements Adoption {}

        /** The file says what an earlier revision said: start with the current one, and warn. */
        record Earlier(Revision current, long equals) implements Adoption {}

        /** The cluster never had these rules: do not start. */
        record Foreign(Revision current, List<String> differences) implements Adoption {
            public Foreign {
                differences = List.copyOf(differences);
            }
        }
    }

    /** The current one; none before the first replica's start. */
    public static Optional<Revision> current(Connection c) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(CURRENT)) {
            return first(s);
        }
    }

    public static Optional<Revision> find(Connection c, long number) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(ONE)) {
            s.setLong(1, number);
            return first(s);
        }
    }

    /** The newest ones, newest first. */
    public static List<Revision> list(Connection c, int most) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(LIST)) {
            s.setInt(1, most);
            return all(s);
        }
    }

    /** Makes these rules the next revision, if {@code expected} is still the current one. */
    public static Applied apply(
            Connection c,
            long expected,
            Rules rules,
            @Nullable String reason,
            @Nullable String actor)
            throws SQLException {
        String document = RulesJson.encode(rules);
        Optional<Revision> now = current(c);
        if (now.isPresent() && now.get().document().equals(document)) {
            return new Applied.Unchanged(now.get().number(), now.get().epoch());
        }
        Applied.@Nullable Made made;
        try (PreparedStatement s = c.prepareStatement(APPLY)) {
            s.setLong(1, expected);
            s.setString(2, document);
            s.setString(3, reason);
            s.setString(4, actor);
            made = made(s, c);
        }
        return made != null ? tell(c, made) : new Applied.Conflict(expected, number(current(c)));
    }

    /** Makes the rules of an earlier revision the next one. */
    public static Applied rollback(
            Connection c, long expected, long to, @Nullable String reason, @Nullable String actor)
            throws SQLException {
        Revision earlier =
                find(c, to).orElseThrow(() -> new StoreException("there is no revision " + to));
        String why = "rollback to " + to + (reason == null ? "" : ": " + reason);
        return apply(c, expected, earlier.rules(), why, actor);
    }

    /**
     * Compares a replica's file with the cluster's rules, and makes it the first revision of a new
     * cluster.
     */
    public static Adoption adopt(Connection c, Rules file, String actor) throws SQLException {
        Optional<Revision> now = current(c);
        if (now.isEmpty()) {
            Applied.@Nullable Made made = makeFirst(c, file, actor);
            Revision current = current(c).orElseThrow();
            if (made != null) {
                tell(c, made);
                return new Adoption.First(current);
            }
            now = Optional.of(current);
        }
        return compare(c, now.get(), file);
    }

    private static Adoption compare(Connection c, Revision current, Rules file)
            throws SQLException {
        String document = RulesJson.encode(file);
        if (current.document().equals(document)) {
            return new Adoption.Same(current);
        }
        try (PreparedStatement s = c.prepareStatement(SAME)) {
            s.setString(1, document);
            Optional<Revision> earlier = first(s);
            if (earlier.isPresent()) {
                return new Adoption.Earlier(current, earlier.get().number());
            }
        }
        return new Adoption.Foreign(current, RulesDifference.between(current.rules(), file));
    }

    private static Applied.@Nullable Made makeFirst(Connection c, Rules file, String actor)
            throws SQLException {
        try (PreparedStatement s = c.prepareStatement(FIRST)) {
            s.setString(1, RulesJson.encode(file));
            s.setString(2, actor);
            return made(s, c);
        }
    }

    private static Applied.@Nullable Made made(PreparedStatement s, Connection c)
            throws SQLException {
        try (ResultSet row = s.executeQuery()) {
            Applied.Made made =
                    row.next() ? new Applied.Made(row.getLong(1), row.getLong(2)) : null;
            Transactions.checkCommitted(s.getWarnings(), c);
            return made;
        }
    }

    private static Applied tell(Connection c, Applied.Made made) {
        Hint.send(c, made.epoch());
        return made;
    }

    private static long number(Optional<Revision> revision) {
        return revision.isPresent() ? revision.get().number() : 0;
    }

    private static Optional<Revision> first(PreparedStatement s) throws SQLException {
        List<Revision> rows = all(s);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.getFirst());
    }

    private static List<Revision> all(PreparedStatement s) throws SQLException {
        List<Revision> revisions = new ArrayList<>();
        try (ResultSet row = s.executeQuery()) {
            while (row.next()) {
                revisions.add(
                        new Revision(
                                row.getLong("revision"),
                                row.getString("hash"),
                                row.getString("document"),
                                row.getObject("applied_at", OffsetDateTime.class).toInstant(),
                                row.getString("applied_by"),
                                row.getString("reason"),
                                row.getLong("epoch"),
                                row.getBoolean("current")));
            }
        }
        return revisions;
    }
}
