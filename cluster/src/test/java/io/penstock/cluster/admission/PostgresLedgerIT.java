package io.penstock.cluster.admission;

import io.penstock.budget.BudgetLedgerContract;
import io.penstock.budget.LedgerFixture;
import io.penstock.cluster.testing.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

final class PostgresLedgerIT extends BudgetLedgerContract {
    @SuppressWarnings("NullAway.Init") // before all tests
    private static TestDatabase database;

    @BeforeAll
    static void makeDatabase() {
        database = TestDatabase.fresh();
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
