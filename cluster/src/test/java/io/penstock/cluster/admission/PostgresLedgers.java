package io.penstock.cluster.admission;

import io.penstock.cluster.testing.TestDatabase;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database for one class of tests, and an empty ledger in it for each of them. */
final class PostgresLedgers
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {
    @SuppressWarnings("NullAway.Init") // before all tests
    private TestDatabase database;

    @SuppressWarnings("NullAway.Init") // before each test
    private PostgresFixture fixture;

    TestDatabase database() {
        return database;
    }

    PostgresFixture fixture() {
        return fixture;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        database = TestDatabase.fresh();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        fixture = new PostgresFixture(database);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        fixture.close();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        database.close();
    }
}
