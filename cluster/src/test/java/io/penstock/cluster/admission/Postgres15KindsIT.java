package io.penstock.cluster.admission;

import io.penstock.budget.BudgetKindsContract;
import io.penstock.budget.ClockedFixture;
import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** Every kind of budget on the oldest Postgres that is supported. */
@EnabledIf("io.penstock.cluster.testing.DebianPostgres15#available")
final class Postgres15KindsIT extends BudgetKindsContract {
    @SuppressWarnings("NullAway.Init") // before all tests
    private static TestDatabase database;

    @BeforeAll
    static void makeDatabase() {
        database = DebianPostgres15.fresh();
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
