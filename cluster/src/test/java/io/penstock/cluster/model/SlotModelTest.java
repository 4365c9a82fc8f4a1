package io.penstock.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.model.SlotModel.Broken;
import io.penstock.cluster.model.SlotModel.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No slot is given back twice or lost, in every interleaving within bounds. */
final class SlotModelTest {
    private static final int STATES_MAX = Depth.FULL ? 12_000_000 : 2_000_000;

    private static Explorer<State> explorer(SlotModel model) {
        return new Explorer<>(model::steps, model::wrong);
    }

    @ParameterizedTest
    @CsvSource({"2, 2, 1", "2, 2, 2", "3, 1, 1", "3, 1, 2"})
    void protocol_allInterleavings_everySlotComesBackOnce(int replicas, int calls, int limit) {
        SlotModel model = new SlotModel(replicas, calls, limit, null);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.printf(
                "slot model: %d replicas, %d calls each, limit %d: %s%n",
                replicas, calls, limit, found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @Test
    void protocol_fromEveryState_allSlotsCanComeBack() {
        SlotModel model = new SlotModel(2, 2, 2, null);

        Explorer.Found found =
                explorer(model)
                        .withoutAWay(
                                model.start(),
                                state -> true,
                                state -> state.used() == 0,
                                STATES_MAX);

        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Broken.class)
    void protocol_withARuleBroken_isFoundWrong(Broken broken) {
        SlotModel model = new SlotModel(2, 2, 1, broken);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println(broken + ": " + found.trace());
        assertThat(found.trace()).isNotNull();
    }
}
