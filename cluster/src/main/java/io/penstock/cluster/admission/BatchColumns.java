package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.Charge;
import io.penstock.budget.Demand;
import io.penstock.budget.Group;
import io.penstock.budget.Intent;
import io.penstock.budget.Settlement;
import io.penstock.budget.Subject;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.postgresql.PGConnection;

/**
 * Turns a batch into the arrays that the ledger's functions take. Indexes count from 1 there. All
 * arrays travel in binary, primitive ones without boxing.
 */
final class BatchColumns {
    private final PGConnection connection;

    BatchColumns(PGConnection connection) {
        this.connection = connection;
    }

    void bindAdmit(PreparedStatement to, UUID incarnation, int lane, Batch batch)
            throws SQLException {
        to.setObject(1, incarnation);
        to.setShort(2, (short) lane);
        to.setLong(3, batch.seq());
        to.setLong(4, batch.epoch());
        to.setInt(5, Math.max(1, batch.waitMillis()));
        bindDemands(to, 6, batch.demands());
        bindGroups(to, 14, batch.groups());
        bindHolds(to, 18, batch);
        bindIntents(to, 21, batch);
    }

    void bindResolve(PreparedStatement to, UUID incarnation, int lane, int waitMillis, Batch batch)
            throws SQLException {
        List<Demand> demands = batch.demands();
        to.setObject(1, incarnation);
        to.setShort(2, (short) lane);
        to.setLong(3, batch.seq());
        to.setInt(4, waitMillis);
        to.setArray(5, keys(demands));
        CounterColumns counters = counters(demands);
        to.setArray(6, array("int8", counters.micros()));
        bindKinds(to, 7, counters);
        to.setArray(9, array("int8", wanted(demands)));
        int[] asked = new int[batch.groups().size()];
        for (int g = 0; g < asked.length; g++) {
            asked[g] = batch.groups().get(g).asked();
        }
        to.setArray(10, array("int4", asked));
        bindCalls(to, 11, batch);
    }

    void bindSettle(PreparedStatement to, UUID incarnation, int lane, Settlement units)
            throws SQLException {
        SettlementColumns columns = new SettlementColumns(units);
        to.setObject(1, incarnation);
        to.setShort(2, (short) lane);
        to.setLong(3, units.seq());
        to.setInt(4, Math.max(1, units.waitMillis()));
        to.setArray(5, array("text", columns.keys()));
        to.setArray(6, array("text", columns.budgets()));
        to.setArray(7, array("int4", columns.refundKeys));
        to.setArray(8, array("int8", columns.refundIndexes));
        to.setArray(9, array("int8", columns.refundAmounts));
        to.setArray(10, array("text", columns.calls));
        to.setArray(11, array("int8", columns.admittedMicros));
        to.setArray(12, array("text", columns.holdCalls));
        to.setArray(13, array("int4", columns.holdKeys));
        to.setArray(14, array("int8", columns.holdActuals));
        to.setArray(15, array("int4", columns.holdFates));
    }

    private void bindDemands(PreparedStatement to, int at, List<Demand> demands)
            throws SQLException {
        boolean[] shadow = new boolean[demands.size()];
        for (int d = 0; d < shadow.length; d++) {
            shadow[d] = demands.get(d).counter().shadow();
        }
        CounterColumns counters = counters(demands);
        to.setArray(at, keys(demands));
        to.setArray(at + 1, array("int8", counters.limits()));
        to.setArray(at + 2, array("int8", counters.micros()));
        to.setArray(at + 3, array("int8", wanted(demands)));
        to.setArray(at + 4, array("bool", shadow));
        bindKinds(to, at + 5, counters);
        to.setArray(at + 7, counters.plain() ? null : array("int8", counters.bursts()));
    }

    private static CounterColumns counters(List<Demand> demands) {
        CounterColumns counters = new CounterColumns(demands.size());
        for (Demand demand : demands) {
            counters.add(demand.counter());
        }
        return counters;
    }

    private void bindKinds(PreparedStatement to, int at, CounterColumns counters)
            throws SQLException {
        to.setArray(at, counters.plain() ? null : array("int4", counters.kinds()));
        to.setArray(at + 1, counters.plain() ? null : array("text", counters.zones()));
    }

    private void bindHolds(PreparedStatement to, int at, Batch batch) throws SQLException {
        if (batch.limitMillis().length == 0) {
            to.setArray(at, null);
            to.setArray(at + 1, null);
            to.setArray(at + 2, null);
            return;
        }
        int charges = 0;
        for (Group group : batch.groups()) {
            charges += group.kinds().length;
        }
        long[] holding = new long[batch.demands().size()];
        int[] holds = new int[charges];
        int next = 0;
        for (Group group : batch.groups()) {
            for (int i = 0; i < group.kinds().length; i++, next++) {
                holds[next] = number(group.kinds()[i]);
                if (holds[next] > 0) {
                    holding[group.demands()[i]] += group.asked() * group.amounts()[i];
                }
            }
        }
        to.setArray(at, array("int8", holding));
        to.setArray(at + 1, array("int4", holds));
        to.setArray(at + 2, array("int8", batch.limitMillis()));
    }

    private static int number(Charge.Kind kind) {
        return switch (kind) {
            case PLAIN -> 0;
            case METERED -> 1;
            case SLOT -> 2;
        };
    }

    private void bindGroups(PreparedStatement to, int at, List<Group> groups) throws SQLException {
        int[] asked = new int[groups.size()];
        int[] first = new int[asked.length + 1];
        first[0] = 1;
        for (int g = 0; g < asked.length; g++) {
            asked[g] = groups.get(g).asked();
            first[g + 1] = first[g] + groups.get(g).demands().length;
        }
        int[] demand = new int[first[asked.length] - 1];
        long[] amount = new long[demand.length];
        int next = 0;
        for (Group group : groups) {
            for (int i = 0; i < group.demands().length; i++, next++) {
                demand[next] = group.demands()[i] + 1;
                amount[next] = group.amounts()[i];
            }
        }
        to.setArray(at, array("int4", asked));
        to.setArray(at + 1, array("int4", first));
        to.setArray(at + 2, array("int4", demand));
        to.setArray(at + 3, array("int8", amount));
    }

    /**
     * Calls name their subject by number, each distinct one once: the calls of a group nearly
     * always share it, so comparing with the group's last one finds it without hashing.
     */
    private void bindIntents(PreparedStatement to, int at, Batch batch) throws SQLException {
        List<Intent> intents = batch.intents();
        int[] subject = new int[intents.size()];
        int[] lastOfGroup = new int[batch.groups().size()];
        Intent[] distinct = new Intent[subject.length];
        int count = 0;
        for (int i = 0; i < subject.length; i++) {
            Intent intent = intents.get(i);
            int group = batch.places().get(i).group();
            int last = lastOfGroup[group];
            if (last == 0 || !sameSource(distinct[last - 1], intent)) {
                distinct[count++] = intent;
                last = count;
                lastOfGroup[group] = last;
            }
            subject[i] = last;
        }
        bindCalls(to, at, batch);
        to.setArray(at + 3, array("int4", subject));
        bindSubjects(to, at + 4, distinct, count);
    }

    private void bindSubjects(PreparedStatement to, int at, Intent[] distinct, int count)
            throws SQLException {
        String[] tenants = new String[count];
        String[] agents = new String[count];
        String[] servers = new String[count];
        String[] tools = new String[count];
        String[] methods = new String[count];
        for (int i = 0; i < count; i++) {
            Subject subject = distinct[i].subject();
            tenants[i] = subject.tenant();
            agents[i] = subject.agent();
            servers[i] = subject.server();
            tools[i] = subject.tool();
            methods[i] = distinct[i].method();
        }
        to.setArray(at, array("text", tenants));
        to.setArray(at + 1, array("text", agents));
        to.setArray(at + 2, array("text", servers));
        to.setArray(at + 3, array("text", tools));
        to.setArray(at + 4, array("text", methods));
    }

    private void bindCalls(PreparedStatement to, int at, Batch batch) throws SQLException {
        int calls = batch.intents().size();
        String[] ids = new String[calls];
        int[] groups = new int[calls];
        int[] ranks = new int[calls];
        for (int i = 0; i < calls; i++) {
            ids[i] = batch.intents().get(i).call().toString();
            groups[i] = batch.places().get(i).group() + 1;
            ranks[i] = batch.places().get(i).rank();
        }
        to.setArray(at, array("text", ids));
        to.setArray(at + 1, array("int4", groups));
        to.setArray(at + 2, array("int4", ranks));
    }

    private Array keys(List<Demand> demands) throws SQLException {
        String[] keys = new String[demands.size()];
        for (int d = 0; d < keys.length; d++) {
            keys[d] = demands.get(d).counter().key();
        }
        return array("text", keys);
    }

    private static long[] wanted(List<Demand> demands) {
        long[] wanted = new long[demands.size()];
        for (int d = 0; d < wanted.length; d++) {
            wanted[d] = demands.get(d).wanted();
        }
        return wanted;
    }

    private static boolean sameSource(Intent one, Intent other) {
        return one.method().equals(other.method())
                && one.subject().agent().equals(other.subject().agent())
                && one.subject().tool().equals(other.subject().tool())
                && one.subject().tenant().equals(other.subject().tenant())
                && one.subject().server().equals(other.subject().server());
    }

    private Array array(String type, Object elements) throws SQLException {
        return connection.createArrayOf(type, elements);
    }
}
