package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A state that cannot be understood must never read as one in which nothing is stopped. */
final class ControlSqlTest {
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "null", "{}", "0", "\"\"", "true", "[", "[{]", "nonsense"})
    void state_notAList_isAnError(String json) {
        assertThatThrownBy(() -> ControlSql.stops(json, null, 0))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22032"));
        assertThatThrownBy(() -> ControlSql.blocks(json, 0))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22032"));
    }

    @Test
    void state_emptyList_isNothingAndNullIsUnchanged() throws SQLException {
        assertThat(ControlSql.stops("[]", null, 0))
                .isEqualTo(new ControlState.Stops.Whole(List.of()));
        assertThat(ControlSql.blocks("[]", 0)).isEmpty();
        assertThat(ControlSql.stops(null, null, 0)).isNull();
        assertThat(ControlSql.blocks(null, 0)).isNull();
    }
}
