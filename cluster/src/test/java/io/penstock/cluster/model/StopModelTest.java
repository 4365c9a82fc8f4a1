package io.penstock.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.model.StopBounds.May;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * After a stop is confirmed no call that it covers is sent until it is lifted, and no recorded stop
 * is lost, in every interleaving within bounds. Each step that the protocol could do without is
 * left out once, and the explorer has to find what goes wrong then.
 */
final class StopModelTest {
    private static final int STATES_MAX = 1_500_000;
    private static final int STATES_MAX_FULL = 12_000_000;
    private static final int WALKS = 2_000;
    private static final int WALKS_FULL = 100_000;

    /** Everything that can happen to a cluster, for walks. */
    private static final May[] ALL = May.values();

    static List<StopBounds> bounds() {
        return List.of(
                // two operators, stops that are lifted, reads that are late on both connections
                StopBounds.of(1, 2, May.READ_LATE, May.RESUME),
                StopBounds.of(1, 2, May.RESUME, May.RESUME_ALL),
                // clocks that drift, processes and machines that stand still, open streams
                StopBounds.of(1, 1, May.DRIFT, May.READ_LATE, May.FREEZE, May.SUSPEND, May.STREAM),
                // failover, and commits that the standby lacks
                StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE, May.DIE),
                StopBounds.of(1, 2, May.FAIL_OVER),
                // the sweeper, and a lease that becomes shorter
                StopBounds.of(1, 1, May.SWEEP, May.SHORTEN, May.DIE).lease(2, 3),
                StopBounds.of(1, 1, May.SWEEP, May.DRIFT, May.READ_LATE),
                // two replicas that die, end, are cut off and freeze
                StopBounds.of(2, 1, May.DIE, May.CLOSE, May.CUT),
                StopBounds.of(2, 1, May.FREEZE),
                StopBounds.of(2, 1, May.DIE, May.RESUME));
    }

    static List<StopBounds> boundsInFull() {
        return List.of(
                StopBounds.of(2, 2, May.DIE),
                StopBounds.of(2, 1, May.DIE, May.RESUME, May.RESUME_ALL),
                StopBounds.of(2, 1, May.DIE, May.CLOSE, May.CUT, May.FREEZE),
                StopBounds.of(2, 1, May.DRIFT),
                StopBounds.of(2, 1, May.SWEEP),
                StopBounds.of(2, 1, May.FAIL_OVER),
                StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE, May.READ_LATE),
                StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE, May.RESUME, May.DIE),
                StopBounds.of(1, 2, May.FAIL_OVER, May.RESUME),
                StopBounds.of(1, 2, May.DIE, May.RESUME, May.RESUME_ALL),
                StopBounds.of(1, 2, May.READ_LATE, May.FREEZE, May.RESUME));
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void protocol_asWritten_isSafeInEveryState(StopBounds bounds) {
        explore(bounds, STATES_MAX);
    }

    @ParameterizedTest
    @MethodSource("boundsInFull")
    @EnabledIfSystemProperty(named = "penstock.full", matches = "true")
    void protocol_asWrittenWithinWiderBounds_isSafeInEveryState(StopBounds bounds) {
        explore(bounds, STATES_MAX_FULL);
    }

    private static void explore(StopBounds bounds, int statesMax) {
        StopModel model = new StopModel(bounds);

        Explorer.Found found = explorer(model).everywhere(model.start(), statesMax);

        System.out.println("stop model: " + bounds + ": " + found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @Test
    void stop_allReplicasDeadOrCutOff_isConfirmedAfterTheLease() {
        StopBounds bounds = StopBounds.of(2, 1, May.DIE, May.CUT);
        StopModel model = new StopModel(bounds);

        Explorer.Found found =
                new Explorer<>(model::steps, model::unconfirmed)
                        .everywhere(model.start(), STATES_MAX);

        System.out.println("stop model, replicas silent from here on: " + bounds + ": " + found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @Test
    void resume_whateverHappenedBefore_leavesAWayToSendAgain() {
        StopBounds bounds =
                StopBounds.of(1, 1, May.DIE, May.CLOSE, May.CUT, May.FREEZE, May.RESUME);
        StopModel model = new StopModel(bounds);

        Explorer.Found found =
                explorer(model).withoutAWay(model.start(), model::free, model::sends, STATES_MAX);

        System.out.println("stop model, a way to send again: " + bounds + ": " + found);
        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    @Test
    void stop_ofOtherCalls_leavesAWayToSendTheRest() {
        StopModel model = new StopModel(StopBounds.of(1, 2, May.DIE, May.RESUME).matching(1));

        Explorer.Found found =
                explorer(model).withoutAWay(model.start(), model::free, model::sends, STATES_MAX);

        assertThat(found.trace()).isNull();
        assertThat(found.complete()).isTrue();
    }

    /** A lower epoch is for a person: without a restart there is no way on, with one there is. */
    @Test
    void failover_toALowerEpoch_needsARestart() {
        StopModel stays = new StopModel(StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE));
        StopModel restarts = new StopModel(StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE, May.DIE));

        assertThat(
                        explorer(stays)
                                .withoutAWay(stays.start(), stays::free, stays::sends, STATES_MAX)
                                .trace())
                .isNotNull();
        assertThat(
                        explorer(restarts)
                                .withoutAWay(
                                        restarts.start(),
                                        restarts::free,
                                        restarts::sends,
                                        STATES_MAX)
                                .trace())
                .isNull();
    }

    /**
     * What no lease can prevent: a process that stands still between its check and its write. The
     * upstream can, by {@code Penstock-Not-After}.
     */
    @Test
    void protocol_processStandsStillBetweenCheckAndWrite_maySendLate() {
        StopModel model =
                new StopModel(new StopRules(StopBounds.of(1, 1, May.FREEZE), Set.of(), true));

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        assertThat(found.trace()).contains("FREEZES", "CONFIRMS", "SENDS");
    }

    @Test
    void protocol_beyondTheBounds_randomWalksFindNothing() {
        StopModel model = new StopModel(StopBounds.of(3, 2, ALL).lease(3, 6));
        long seed = Long.getLong("penstock.seed", new Random().nextLong());

        for (int walk = 0; walk < Depth.of("penstock.walks", WALKS, WALKS_FULL); walk++) {
            assertThat(explorer(model).walk(model.start(), new Random(seed + walk), 400))
                    .as("-Dpenstock.seed=%d", seed + walk)
                    .isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(DroppedStep.class)
    void protocol_withAStepLeftOut_isFoundWrong(DroppedStep step) {
        StopModel model = new StopModel(boundsThatNeed(step), step);

        Explorer.Found found = explorer(model).everywhere(model.start(), STATES_MAX);

        System.out.println(step + ": " + found.states() + " states: " + found.trace());
        assertThat(found.trace()).isNotNull();
    }

    /** Where a step's absence shows soonest. */
    private static StopBounds boundsThatNeed(DroppedStep step) {
        return switch (step) {
            case LEASE_FROM_THE_ANSWER, TRUST_WITHOUT_INSTALL ->
                    StopBounds.of(1, 1, May.READ_LATE).lease(2, 3);
            case READ_BEFORE_THE_BEAT,
                    FAILED_READ_IS_EMPTY,
                    BOOT_OPEN,
                    RENEWED_LEASE_COVERS_OLDER_CHECK,
                    SECTION_WITHOUT_END,
                    RETRY_WITHOUT_SECTION,
                    UNKNOWN_IS_RECORDED,
                    EPOCH_APART,
                    LISTED_BEFORE_COMMIT,
                    WAIT_FROM_THE_ORDER,
                    FENCED_WITHOUT_WAIT,
                    FENCED_BY_DATABASE_CLOCK,
                    ACKNOWLEDGED_ANY_EPOCH,
                    ACKNOWLEDGED_BEFORE_QUIET ->
                    StopBounds.of(1, 1);
            case LISTEN_EXTENDS_THE_LEASE, OLDER_READ_INSTALLED, ACKNOWLEDGED_BEFORE_INSTALL ->
                    StopBounds.of(1, 1, May.READ_LATE);
            case NO_MARGIN -> StopBounds.of(1, 1, May.DRIFT);
            case SUSPENSION_UNSEEN -> StopBounds.of(1, 1, May.SUSPEND);
            case WAITS_THE_PRESENT_LEASE, ROW_NAMES_THE_PRESENT_LEASE ->
                    StopBounds.of(1, 1, May.SHORTEN).lease(3, 4);
            case STREAM_WITHOUT_LEASE, TRUSTED_BEFORE_CUT, ACKNOWLEDGED_BEFORE_CUT ->
                    StopBounds.of(1, 1, May.STREAM);
            // The second order covers other calls.
            case EPOCH_FROM_SEQUENCE -> StopBounds.of(1, 2).matching(1);
            case ACKNOWLEDGED_BY_NAME -> StopBounds.of(2, 1);
            case RESUMED_BY_SCOPE -> StopBounds.of(1, 2, May.RESUME);
            case RESUMED_UNLISTED -> StopBounds.of(1, 2, May.RESUME_ALL);
            case REPEAT_ONLY_READS,
                    WARNING_IS_SUCCESS,
                    LOWER_EPOCH_TRUSTED,
                    SAME_EPOCH_OF_ANOTHER_SERVER,
                    ACKNOWLEDGED_TO_ANOTHER_SERVER ->
                    StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE);
            case LISTENS_TO_ANOTHER_SERVER ->
                    StopBounds.of(1, 1, May.FAIL_OVER, May.CHANGE, May.READ_LATE);
            case FENCED_TRUSTS, CLOSED_WITHOUT_WAIT -> StopBounds.of(1, 1, May.SWEEP);
            case CLOSED_BEFORE_QUIET -> StopBounds.of(1, 1, May.CLOSE);
        };
    }

    private static Explorer<StopState> explorer(StopModel model) {
        return new Explorer<>(model::steps, model::wrong);
    }
}
