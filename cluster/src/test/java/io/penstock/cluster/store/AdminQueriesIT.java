package io.penstock.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Pool;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class AdminQueriesIT {
    @Test
    void rows_everyView_isReadableByAGateway() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Pool pool = new Pool(new Connector(database.gateway()))) {
            AdminQueries queries = new AdminQueries(pool);
            for (AdminQueries.View view : AdminQueries.View.values()) {
                assertThat(queries.rows(view, 100)).as(view.name()).isNotNull();
            }

            assertThat(queries.rows(AdminQueries.View.CLUSTER, 100))
                    .singleElement()
                    .satisfies(row -> assertThat(row).containsEntry("lease_ms", 1000));
        }
    }

    @Test
    void rows_aStop_hasPlainValues() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Pool pool = new Pool(new Connector(database.gateway()));
                Connection operator = database.connectAsOperator();
                Statement s = operator.createStatement()) {
            s.execute("call penstock.stop('tenant', 'acme', 'because')");

            assertThat(new AdminQueries(pool).rows(AdminQueries.View.STOPS, 100))
                    .singleElement()
                    .satisfies(
                            row -> {
                                assertThat(row).containsEntry("reason", "because");
                                assertThat(row).containsEntry("drain", false);
                                assertThat(row.get("given_at")).isInstanceOf(String.class);
                            });
        }
    }
}
