package io.penstock.e2e;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Every change of a leadership with the database's time, kept by a trigger in a test's database.
 */
final class DutyHistory {
    private static final String TABLE =
            """
            create table public.duty_history (
                at timestamptz not null, duty text, incarnation uuid, term bigint,
                began boolean, released boolean, until_before timestamptz)
            """;
    private static final String FUNCTION =
            """
            create function public.note_duty() returns trigger language plpgsql security definer as $$
            begin
                insert into public.duty_history values (clock_timestamp(), new.duty, new.incarnation, new.term,
                    tg_op = 'INSERT' or new.term <> old.term,
                    tg_op = 'UPDATE' and new.until < old.until,
                    case when tg_op = 'UPDATE' and new.term <> old.term then old.until end);
                return null;
            end $$
            """;
    private static final String TRIGGER =
            "create trigger note_duty after insert or update on penstock.duty"
                    + " for each row execute function public.note_duty()";

    private final Gate gate;

    private DutyHistory(Gate gate) {
        this.gate = gate;
    }

    /** From now on. */
    static DutyHistory of(Gate gate) {
        execute(gate, TABLE);
        execute(gate, FUNCTION);
        execute(gate, TRIGGER);
        return new DutyHistory(gate);
    }

    static void execute(Gate gate, String sql) {
        try (Connection connection = gate.database().connectAsSuperuser();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Milliseconds from a moment of the database's clock until the last duty had a new leader. */
    long millisUntilLed(String since) {
        return gate.number(
                "select (extract(epoch from max(at) - timestamptz '%s') * 1000)::bigint from public.duty_history where began and at > timestamptz '%s'"
                        .formatted(since, since));
    }

    /** The longest time from a leader's letting go to the beginning of the next term. */
    long millisHandingOver() {
        return gate.number(
                """
                select (extract(epoch from max(n.at - r.at)) * 1000)::bigint
                  from public.duty_history r join public.duty_history n
                    on n.duty = r.duty and n.term = r.term + 1 and n.began
                 where r.released
                """);
    }

    /** Terms with two leaders, and terms that began before the one before had ended. */
    List<List<String>> violations() {
        List<List<String>> found =
                new ArrayList<>(
                        gate.rows(
                                "select duty, term, 'two leaders' from public.duty_history"
                                        + " group by 1, 2 having count(distinct incarnation) > 1"));
        found.addAll(
                gate.rows(
                        "select duty, term, 'began too early' from public.duty_history"
                                + " where began and at < until_before"));
        return found;
    }
}
