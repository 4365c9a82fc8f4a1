package io.penstock.cluster.control;

import io.penstock.cluster.testing.TestDatabase;

class ControlSchemaIT extends ControlSchemaContract {
    @Override
    TestDatabase fresh() {
        return TestDatabase.fresh();
    }
}
