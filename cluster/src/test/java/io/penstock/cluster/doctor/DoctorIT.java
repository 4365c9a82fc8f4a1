package io.penstock.cluster.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.doctor.Finding.Severity;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DoctorIT {
    private static final Doctor DOCTOR = new Doctor(InstantSource.system(), System::nanoTime);

    @Test
    void examine_healthyDatabaseAsGateway_findsNothingBad() {
        try (TestDatabase database = TestDatabase.fresh()) {
            List<Finding> findings = DOCTOR.examine(database.gateway(), Expectations.NONE);

            assertThat(findings).filteredOn(f -> f.severity() == Severity.ERROR).isEmpty();
            assertThat(findings)
                    .extracting(Finding::check)
                    .contains(
                            "files",
                            "reach",
                            "version",
                            "standby",
                            "shared-truth",
                            "pooler",
                            "notify",
                            "clock",
                            "durability",
                            "snapshots",
                            "schema",
                            "role",
                            "connections",
                            "partitions",
                            "replicas");
            assertThat(findings)
                    .filteredOn(f -> List.of("pooler", "schema", "role").contains(f.check()))
                    .extracting(Finding::severity)
                    .containsOnly(Severity.GOOD);
        }
    }

    @Test
    void examine_nobodyListens_saysReach() {
        DatabaseConfig nowhere =
                new DatabaseConfig("jdbc:postgresql://127.0.0.1:1/penstock", "x", "secret-x", 1);

        List<Finding> findings = DOCTOR.examine(nowhere, Expectations.NONE);

        assertThat(bad(findings, "reach")).isEqualTo(Severity.ERROR);
        assertThat(findings.toString()).doesNotContain("secret-x");
    }

    @Test
    void examine_noSchema_saysMigrate() {
        try (TestDatabase database = TestDatabase.empty()) {
            List<Finding> findings = DOCTOR.examine(database.owner(), Expectations.NONE);

            assertThat(findings)
                    .filteredOn(f -> f.check().equals("schema-missing"))
                    .singleElement()
                    .satisfies(f -> assertThat(f.action()).contains("penstock migrate"));
        }
    }

    @Test
    void examine_schemaMismatch_namesBothVersions() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            int latest = Migrations.LATEST;
            execute(
                    database,
                    "update penstock.schema_history set version = '%d' where version = '%d'"
                            .formatted(latest + 1, latest));
            assertThat(bad(DOCTOR.examine(database.gateway(), Expectations.NONE), "schema"))
                    .isEqualTo(Severity.WARNING);

            execute(
                    database,
                    "update penstock.schema_history set version = '99' where version = '%d'"
                            .formatted(latest + 1));
            List<Finding> findings = DOCTOR.examine(database.gateway(), Expectations.NONE);
            assertThat(bad(findings, "schema")).isEqualTo(Severity.ERROR);
            assertThat(findings.toString())
                    .contains("version 99, this program was built for " + latest);

            execute(
                    database,
                    "create or replace view penstock.schema_version as"
                            + " select 1 as version, 1 as oldest_program");
            assertThat(bad(DOCTOR.examine(database.gateway(), Expectations.NONE), "schema"))
                    .isEqualTo(Severity.ERROR);
        }
    }

    @Test
    void examine_readOnly_saysStandby() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            superuser(
                    database,
                    "alter database "
                            + database.name()
                            + " set default_transaction_read_only = on");

            assertThat(bad(DOCTOR.examine(database.gateway(), Expectations.NONE), "standby"))
                    .isEqualTo(Severity.ERROR);
        }
    }

    @Test
    void examine_fsyncOff_saysDurability() {
        EmbeddedOptions options =
                EmbeddedOptions.temporary()
                        .with(Map.of("fsync", "off", "synchronous_commit", "off"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(options)) {
            List<Finding> findings = DOCTOR.examine(server.owner(), Expectations.NONE);

            assertThat(findings)
                    .filteredOn(f -> f.check().equals("durability"))
                    .extracting(Finding::severity)
                    .containsExactlyInAnyOrder(Severity.ERROR, Severity.WARNING);
        }
    }

    @Test
    void examine_partitionsEnd_saysSo() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            for (int ahead = 1; ahead <= 3; ahead++) {
                execute(
                        database,
                        "do $$ begin execute format('drop table penstock.%I', 'journal_' ||"
                                + " to_char((now() at time zone 'UTC')::date + "
                                + ahead
                                + ", 'YYYYMMDD')); end $$");
            }

            assertThat(bad(DOCTOR.examine(database.gateway(), Expectations.NONE), "partitions"))
                    .isEqualTo(Severity.ERROR);
        }
    }

    @Test
    void examine_tooManyReplicas_saysConnections() {
        try (TestDatabase database = TestDatabase.fresh()) {
            assertThat(
                            bad(
                                    DOCTOR.examine(database.gateway(), new Expectations(1_000, 4)),
                                    "connections"))
                    .isEqualTo(Severity.ERROR);
        }
    }

    @Test
    void examine_strangeRoles_areNamed() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            assertThat(bad(DOCTOR.examine(database.superuser(), Expectations.NONE), "role"))
                    .isEqualTo(Severity.WARNING);
            superuser(database, "grant temporary on database " + database.name() + " to public");
            assertThat(bad(DOCTOR.examine(database.gateway(), Expectations.NONE), "role"))
                    .isEqualTo(Severity.WARNING);
        }
    }

    @Test
    void examine_clockApart_saysHowFar() {
        try (TestDatabase database = TestDatabase.fresh()) {
            Doctor late =
                    new Doctor(
                            InstantSource.offset(InstantSource.system(), Duration.ofMinutes(-1)),
                            System::nanoTime);

            List<Finding> findings = late.examine(database.gateway(), Expectations.NONE);

            assertThat(bad(findings, "clock")).isEqualTo(Severity.WARNING);
            assertThat(findings.toString()).contains("ms behind the database");
        }
    }

    @Test
    void examine_twoSystemsInOneUrl_isTwoTruths() throws Exception {
        try (EmbeddedPostgres other = EmbeddedPostgres.start(EmbeddedOptions.temporary());
                EmbeddedPostgres one = EmbeddedPostgres.start(EmbeddedOptions.temporary())) {
            // The same password on both, as two servers behind one URL would have it.
            try (Connection c =
                            new io.penstock.cluster.postgres.Connector(other.owner())
                                    .open(io.penstock.cluster.postgres.Purpose.MIGRATE);
                    Statement s = c.createStatement()) {
                s.execute("alter role penstock password '" + one.owner().password() + "'");
            }
            DatabaseConfig both =
                    new DatabaseConfig(
                            "jdbc:postgresql://127.0.0.1:"
                                    + one.port()
                                    + ",127.0.0.1:"
                                    + other.port()
                                    + "/penstock",
                            one.owner().user(),
                            one.owner().password(),
                            2);

            assertThat(bad(DOCTOR.examine(both, Expectations.NONE), "hosts"))
                    .isEqualTo(Severity.ERROR);
        }
    }

    private static Severity bad(List<Finding> findings, String check) {
        return findings.stream()
                .filter(f -> f.check().equals(check))
                .map(Finding::severity)
                .max(Severity::compareTo)
                .orElseThrow(() -> new AssertionError("no finding " + check + ": " + findings));
    }

    private static void execute(TestDatabase database, String sql) throws Exception {
        try (Connection c = database.connectAsOwner();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    private static void superuser(TestDatabase database, String sql) throws Exception {
        try (Connection c = database.connectAsSuperuser();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }
}
