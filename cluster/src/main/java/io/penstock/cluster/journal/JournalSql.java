package io.penstock.cluster.journal;

import io.penstock.cluster.postgres.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends one numbered batch; sending it again changes nothing.
 *
 * <p>Each statement is its own transaction, and returns only when it is durable.
 */
final class JournalSql {
    /** A name beyond this is cut: the identity check and the upstreams' lists know only shorter. */
    private static final int TEXT_MAX = 1_000;

    private static final String OUTCOMES = "select penstock.outcomes_v1(?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String REFUSALS =
            "select penstock.refusals_v1(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private JournalSql() {}

    /** Who writes: the journal that numbers its batches, and the incarnation it writes for. */
    record Writer(UUID id, UUID incarnation) {}

    static void outcomes(Connection c, Writer writer, long seq, List<Outcome> batch)
            throws SQLException {
        try (PreparedStatement s = c.prepareStatement(OUTCOMES)) {
            head(s, writer, seq);
            s.setArray(4, c.createArrayOf("uuid", column(batch, Outcome::call)));
            s.setArray(5, c.createArrayOf("int8", column(batch, Outcome::admittedMicros)));
            s.setArray(6, c.createArrayOf("text", column(batch, o -> o.kind().label())));
            s.setArray(7, c.createArrayOf("int2", column(batch, o -> (short) o.status())));
            s.setArray(8, c.createArrayOf("int8", column(batch, Outcome::responseBytes)));
            s.setArray(9, c.createArrayOf("int8", column(batch, Outcome::durationMicros)));
            execute(c, s);
        }
    }

    static void refusals(Connection c, Writer writer, long seq, List<JournalRow> batch, long now)
            throws SQLException {
        try (PreparedStatement s = c.prepareStatement(REFUSALS)) {
            head(s, writer, seq);
            s.setArray(4, c.createArrayOf("text", column(batch, r -> r.kind().label())));
            s.setArray(5, c.createArrayOf("int8", column(batch, r -> ageMicros(r, now))));
            s.setArray(6, c.createArrayOf("uuid", column(batch, JournalRow::call)));
            s.setArray(7, texts(c, batch, JournalRow::tenant));
            s.setArray(8, texts(c, batch, JournalRow::agent));
            s.setArray(9, texts(c, batch, JournalRow::server));
            s.setArray(10, texts(c, batch, JournalRow::tool));
            s.setArray(11, texts(c, batch, JournalRow::code));
            s.setArray(12, texts(c, batch, JournalRow::budget));
            s.setArray(13, c.createArrayOf("int8", column(batch, JournalRow::count)));
            s.setArray(14, texts(c, batch, JournalRow::reason));
            execute(c, s);
        }
    }

    private static void head(PreparedStatement s, Writer writer, long seq) throws SQLException {
        s.setObject(1, writer.id());
        s.setLong(2, seq);
        s.setObject(3, writer.incarnation());
    }

    private static void execute(Connection c, PreparedStatement s) throws SQLException {
        try (ResultSet rows = s.executeQuery()) {
            rows.next();
        }
        Transactions.checkCommitted(s.getWarnings(), c);
    }

    private static long ageMicros(JournalRow row, long now) {
        return Math.max(0, (now - row.atNanos()) / 1_000);
    }

    private static java.sql.Array texts(
            Connection c, List<JournalRow> batch, Function<JournalRow, @Nullable String> value)
            throws SQLException {
        return c.createArrayOf("text", column(batch, row -> storable(value.apply(row))));
    }

    /** One text that the server cannot store would keep its batch, and all behind it, for ever. */
    static @Nullable String storable(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String cut = text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) : text;
        StringBuilder clean = null;
        for (int i = 0; i < cut.length(); i++) {
            char ch = cut.charAt(i);
            boolean pair =
                    Character.isHighSurrogate(ch)
                            && i + 1 < cut.length()
                            && Character.isLowSurrogate(cut.charAt(i + 1));
            if (pair) {
                i++;
            } else if (ch == 0 || Character.isSurrogate(ch)) {
                clean = clean == null ? new StringBuilder(cut) : clean;
                clean.setCharAt(i, '\uFFFD');
            }
        }
        return clean == null ? cut : clean.toString();
    }

    private static <R> @Nullable Object[] column(
            List<R> batch, Function<R, ? extends @Nullable Object> value) {
        @Nullable Object[] column = new Object[batch.size()];
        for (int i = 0; i < column.length; i++) {
            column[i] = value.apply(batch.get(i));
        }
        return column;
    }
}
