package io.penstock.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.model.SectionModel.Broken;
import io.penstock.cluster.model.SectionModel.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Nobody writes under an older state after it was found quiet, in every order of instructions. */
final class SectionModelTest {
    private static final int STATES_MAX = 1_500_000;

    private static Explorer<State> explorer(SectionModel model) {
        return new Explorer<>(model::steps, model::wrong);
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "3, 1"})
    void section_asWritten_isSafeInEveryState(int senders, int calls) {
        SectionModel model = new SectionModel(senders, calls);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println("section model: " + senders + " senders, " + calls + " calls: " + found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Broken.class)
    void section_withAStepLeftOut_isFoundWrong(Broken broken) {
        SectionModel model = new SectionModel(2, 2, broken);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println(broken + ": " + found.trace());
        assertThat(found.trace()).isNotNull();
    }

    /** The waiter is not kept for ever: from every state there is a way to the acknowledgement. */
    @Test
    void section_asWritten_canAlwaysBeAcknowledged() {
        SectionModel model = new SectionModel(2, 2);

        Explorer.Found found =
                explorer(model)
                        .withoutAWay(
                                model.start(),
                                state -> true,
                                state -> state.stopper().acknowledged(),
                                STATES_MAX);

        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }
}
