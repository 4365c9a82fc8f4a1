package io.penstock.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.model.AdmissionModel.Broken;
import io.penstock.cluster.model.AdmissionModel.State;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Never over the limit, and no unit lost without a crash, in every interleaving within bounds. */
final class AdmissionModelTest {
    private static final int STATES_MAX = 3_000_000;

    private static Explorer<State> explorer(AdmissionModel model) {
        return new Explorer<>(model::steps, model::wrong);
    }

    @Test
    void protocol_twoReplicasTwoCallsTwoWindows_isExactInEveryState() {
        AdmissionModel model = new AdmissionModel(2, 1, 2, 2);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println(
                "admission model: 2 replicas, 2 calls each, 2 windows, limit 1: " + found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @Test
    void protocol_threeReplicasOneCall_isExactInEveryState() {
        AdmissionModel model = new AdmissionModel(3, 2, 2, 1);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println(
                "admission model: 3 replicas, 1 call each, 2 windows, limit 2: " + found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @Test
    void protocol_beyondTheBounds_randomWalksFindNothing() {
        AdmissionModel model = new AdmissionModel(4, 2, 4, 6);
        long seed = Long.getLong("penstock.seed", new Random().nextLong());

        for (int walk = 0; walk < Depth.of("penstock.walks", 3_000, 300_000); walk++) {
            assertThat(explorer(model).walk(model.start(), new Random(seed + walk), 300))
                    .as("-Dpenstock.seed=%d", seed + walk)
                    .isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(Broken.class)
    void protocol_withAStepLeftOut_isFoundWrong(Broken broken) {
        AdmissionModel model = new AdmissionModel(2, 1, 2, 2, broken);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println(broken + ": " + found.trace());
        assertThat(found.trace()).isNotNull();
    }
}
