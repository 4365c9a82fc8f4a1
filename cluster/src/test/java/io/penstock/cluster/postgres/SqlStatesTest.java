package io.penstock.cluster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.postgres.SqlStates.Failure;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlStatesTest {
    @ParameterizedTest
    @CsvSource({
        "08006, UNKNOWN",
        "08003, UNKNOWN",
        "08007, UNKNOWN",
        "57P01, UNKNOWN",
        "25P04, UNKNOWN",
        "08001, UNREACHABLE",
        "57P03, UNREACHABLE",
        "28P01, UNREACHABLE",
        "55P03, RETRY",
        "40001, RETRY",
        "40P01, RETRY",
        "25006, READ_ONLY",
        "42501, DENIED",
        "23505, DUPLICATE",
        "42P01, MISSING",
        "22012, REFUSED"
    })
    void classify_state_saysWhatIsKnown(String state, Failure failure) {
        assertThat(SqlStates.classify(new SQLException("x", state))).isEqualTo(failure);
    }

    @Test
    void classify_noState_isUnknown() {
        assertThat(SqlStates.classify(new SQLException("socket"))).isEqualTo(Failure.UNKNOWN);
        assertThat(SqlStates.connectionUsable(new SQLException("socket"))).isFalse();
        assertThat(SqlStates.connectionUsable(new SQLException("x", "55P03"))).isTrue();
    }
}
