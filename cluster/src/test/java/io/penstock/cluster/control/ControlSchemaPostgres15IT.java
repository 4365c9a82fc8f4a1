package io.penstock.cluster.control;

import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestDatabase;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("available")
class ControlSchemaPostgres15IT extends ControlSchemaContract {
    static boolean available() {
        return DebianPostgres15.available();
    }

    @Override
    TestDatabase fresh() {
        return DebianPostgres15.fresh();
    }
}
