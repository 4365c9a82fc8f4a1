package io.penstock.cluster.admission;

import io.penstock.budget.BudgetKindsContract;
import io.penstock.budget.ClockedFixture;
import io.penstock.cluster.testing.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Every kind of budget on Postgres, with a clock that the test sets. */
final class PostgresKindsIT extends BudgetKindsContract {
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
    protected ClockedFixture openClocked() {
        return new PostgresFixture(database).clocked();
    }
}
