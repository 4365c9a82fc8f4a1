package io.penstock.cluster.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class MigrationsIT {
    @Test
    void migrate_threeAtOnceOnEmptyDatabase_allSucceed() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(Migrations.state(database.owner()))
                    .isEqualTo(new SchemaState.Absent(Migrations.LATEST));
            List<Future<SchemaState>> starts = new ArrayList<>();
            Callable<SchemaState> migrate = () -> Migrations.migrate(database.owner());
            for (int i = 0; i < 3; i++) {
                starts.add(threads.submit(migrate));
            }

            for (Future<SchemaState> start : starts) {
                assertThat(start.get(120, TimeUnit.SECONDS))
                        .isEqualTo(new SchemaState.Current(Migrations.LATEST));
            }
            assertThat(Migrations.state(database.owner()).usable()).isTrue();
        }
    }

    @Test
    void state_schemaBehind_isOlderAndMigrateGoesOn() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            pretend(database, "set version = '0' where version = '" + Migrations.LATEST + "'");

            SchemaState state = Migrations.state(database.gateway());

            assertThat(state).isInstanceOf(SchemaState.Older.class);
            assertThat(state.usable()).isFalse();
        }
    }

    @Test
    void state_schemaAhead_isNewerAndLeftAlone() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            int next = Migrations.LATEST + 1;
            pretend(
                    database,
                    "set version = '" + next + "' where version = '" + Migrations.LATEST + "'");
            SchemaState.Newer expected = new SchemaState.Newer(next, Migrations.LATEST, true);

            assertThat(Migrations.state(database.gateway())).isEqualTo(expected);
            assertThat(Migrations.migrate(database.owner())).isEqualTo(expected);
        }
    }

    @Test
    void state_schemaTwoAhead_isRefused() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            int found = Migrations.LATEST + 2;
            pretend(
                    database,
                    "set version = '" + found + "' where version = '" + Migrations.LATEST + "'");

            SchemaState state = Migrations.state(database.gateway());

            assertThat(state).isEqualTo(new SchemaState.Newer(found, Migrations.LATEST, false));
            assertThat(state.usable()).isFalse();
        }
    }

    @Test
    void migrate_oldestSupportedServer_works() throws Exception {
        Assumptions.assumeTrue(DebianPostgres15.available());
        try (TestDatabase database = DebianPostgres15.fresh()) {
            assertThat(Migrations.state(database.gateway()))
                    .isEqualTo(new SchemaState.Current(Migrations.LATEST));
        }
    }

    /** A right on a function is given by name; nobody has one just by being there. */
    @Test
    void migrate_functions_areNotForEverybody() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection connection = database.connectAsOwner();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(
                                """
                                select p.oid::regprocedure
                                  from pg_proc p,
                                       aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                                 where p.pronamespace = 'penstock'::regnamespace and a.grantee = 0
                                """)) {
            List<String> open = new ArrayList<>();
            while (rows.next()) {
                open.add(rows.getString(1));
            }
            assertThat(open).isEmpty();
        }
    }

    private static void pretend(TestDatabase database, String change) throws Exception {
        try (Connection connection = database.connectAsOwner();
                Statement statement = connection.createStatement()) {
            statement.execute("update penstock.schema_history " + change);
        }
    }
}
