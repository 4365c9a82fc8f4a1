package io.penstock.cluster.admission;

import io.penstock.budget.BudgetLedgerContract;
import io.penstock.budget.LedgerFixture;
import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** The oldest Postgres that is supported. */
@EnabledIf("available")
final class Postgres15LedgerIT extends BudgetLedgerContract {
    @SuppressWarnings("NullAway.Init") // before all tests
    private static TestDatabase database;

    static boolean available() {
        return DebianPostgres15.available();
    }

    @BeforeAll
    static void makeDatabase() {
        database = DebianPostgres15.fresh();
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @Override
    protected LedgerFixture open() {
        return new PostgresFixture(database);
    }
}
