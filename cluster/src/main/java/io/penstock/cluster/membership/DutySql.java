package io.penstock.cluster.membership;

import io.penstock.cluster.control.Incarnation;
import io.penstock.cluster.postgres.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The statements of leadership. */
final class DutySql {
    /** Raised by the schema for a term that is over. */
    private static final String TERM_OVER = "PS001";

    private static final String CLAIM = "select duty, term from penstock.claim_duties_v1(?, ?, ?)";
    private static final String RENEW = "select duty from penstock.renew_duties_v1(?, ?, ?)";
    private static final String HAND_OVER = "select penstock.hand_over_duties_v1(?)";
    private static final String HOLD = "select penstock.hold_duty_v1(?, ?, ?)";

    private DutySql() {}

    /** Takes those that nobody holds. */
    static List<Term> claim(Connection connection, Incarnation who, Collection<String> duties)
            throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(CLAIM)) {
            s.setString(1, who.replica());
            s.setObject(2, who.id());
            s.setArray(3, connection.createArrayOf("text", duties.toArray()));
            List<Term> terms = new ArrayList<>();
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    terms.add(new Term(r.getString(1), who, r.getLong(2)));
                }
            }
            Transactions.checkCommitted(s.getWarnings(), connection);
            return terms;
        }
    }

    /** Returns the duties that are still held. */
    static Set<String> renew(Connection connection, Incarnation who, List<Term> terms)
            throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(RENEW)) {
            s.setObject(1, who.id());
            s.setArray(
                    2, connection.createArrayOf("text", terms.stream().map(Term::duty).toArray()));
            s.setArray(
                    3,
                    connection.createArrayOf("int8", terms.stream().map(Term::number).toArray()));
            Set<String> duties = new TreeSet<>();
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    duties.add(r.getString(1));
                }
            }
            Transactions.checkCommitted(s.getWarnings(), connection);
            return duties;
        }
    }

    static void handOver(Connection connection, Incarnation who) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(HAND_OVER)) {
            s.setObject(1, who.id());
            s.execute();
        }
    }

    static boolean termOver(SQLException e) {
        return TERM_OVER.equals(e.getSQLState());
    }

    /** Keeps the term from ending before the transaction does; throws if it is over. */
    static void hold(Connection connection, Term term) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(HOLD)) {
            s.setString(1, term.duty());
            s.setObject(2, term.holder().id());
            s.setLong(3, term.number());
            s.execute();
        }
    }
}
