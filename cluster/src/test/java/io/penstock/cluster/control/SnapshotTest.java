package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotTest {
    private static final Subject SUBJECT = new Subject("acme", "crawler", "files", "read", null);

    static List<Scope> scopesThatMatch() {
        return List.of(
                new Scope.All(),
                new Scope.Unknown("session", "x"),
                new Scope.Tenant("acme"),
                new Scope.Agent("acme", "crawler"),
                new Scope.Server("files"),
                new Scope.Tool("files", "read"));
    }

    static List<Scope> scopesThatDoNot() {
        return List.of(
                new Scope.Tenant("other"),
                new Scope.Agent("acme", "other"),
                new Scope.Agent("other", "crawler"),
                new Scope.Server("other"),
                new Scope.Tool("files", "write"),
                new Scope.Tool("other", "read"));
    }

    @ParameterizedTest
    @MethodSource("scopesThatMatch")
    void judge_matchingStop_isStopped(Scope scope) {
        assertThat(judge(List.of(stop(scope, 3, false)), List.of()))
                .isInstanceOf(Judgement.Stopped.class);
        assertThat(scope.matches(SUBJECT)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("scopesThatDoNot")
    void judge_otherStop_isClear(Scope scope) {
        assertThat(judge(List.of(stop(scope, 3, false)), List.of())).isEqualTo(Judgement.CLEAR);
        assertThat(scope.matches(SUBJECT)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("scopesThatMatch")
    void stopAgainst_oneCutsAndOneDrains_isTheOneThatCuts(Scope cutting) {
        for (Scope draining : scopesThatMatch()) {
            Snapshot state =
                    state(List.of(stop(draining, 2, true), stop(cutting, 3, false)), List.of());

            assertThat(state.stopAgainst(SUBJECT))
                    .isNotNull()
                    .satisfies(s -> assertThat(s.drain()).isFalse());
        }
    }

    @Test
    void stopAgainst_twoCut_isTheEarlier() {
        Snapshot state =
                state(
                        List.of(
                                stop(new Scope.All(), 4, false),
                                stop(new Scope.Tenant("acme"), 3, false)),
                        List.of());

        assertThat(state.stopAgainst(SUBJECT)).extracting(Stop::epoch).isEqualTo(3L);
    }

    @Test
    void judge_stoppedAndStale_saysStopped() {
        Snapshot state = state(List.of(stop(new Scope.All(), 3, false)), List.of());

        assertThat(state.judge(SUBJECT, 1000)).isInstanceOf(Judgement.Stopped.class);
    }

    @Test
    void judge_leaseOver_isStaleFromThatNanosecond() {
        Snapshot state = state(List.of(), List.of());

        assertThat(state.judge(SUBJECT, 999)).isEqualTo(Judgement.CLEAR);
        assertThat(state.judge(SUBJECT, 1000)).isEqualTo(Judgement.STALE);
    }

    @Test
    void judge_blockOver_isClear() {
        List<Block> blocks = List.of(new Block("acme", "crawler", "odd", 500));

        assertThat(state(List.of(), blocks).judge(SUBJECT, 499))
                .isInstanceOf(Judgement.Blocked.class);
        assertThat(state(List.of(), blocks).judge(SUBJECT, 500)).isEqualTo(Judgement.CLEAR);
    }

    @Test
    void judge_sameAgentNameOfAnotherTenant_isClear() {
        assertThat(judge(List.of(), List.of(new Block("other", "crawler", "odd", 500))))
                .isEqualTo(Judgement.CLEAR);
    }

    @Test
    void judge_thousandStopsAndTenThousandBlocks_allocatesNothing() {
        Snapshot state = state(manyStops(), manyBlocks());
        var threads =
                (com.sun.management.ThreadMXBean)
                        java.lang.management.ManagementFactory.getThreadMXBean();
        int clear = 0;
        for (int i = 0; i < 20_000; i++) {
            clear += state.judge(SUBJECT, 100) == Judgement.CLEAR ? 1 : 0;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100_000; i++) {
            clear += state.judge(SUBJECT, 100) == Judgement.CLEAR ? 1 : 0;
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(clear).isEqualTo(120_000);
        // One object a call would be 1.6 MB; what remains is the measuring itself.
        assertThat(allocated).isLessThan(100_000);
    }

    private static List<Stop> manyStops() {
        List<Stop> stops = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            stops.add(stop(new Scope.Tenant("t" + i), i, false));
            stops.add(stop(new Scope.Agent("acme", "a" + i), i, false));
            stops.add(stop(new Scope.Server("s" + i), i, false));
            stops.add(stop(new Scope.Tool("files", "t" + i), i, false));
        }
        return stops;
    }

    private static List<Block> manyBlocks() {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            blocks.add(new Block("acme", "b" + i, "odd", 500));
        }
        return blocks;
    }

    private static Judgement judge(List<Stop> stops, List<Block> blocks) {
        return state(stops, blocks).judge(SUBJECT, 100);
    }

    private static Snapshot state(List<Stop> stops, List<Block> blocks) {
        return ControlStates.with(5, List.of(), Map.of(), stops, blocks, 1000);
    }

    private static Stop stop(Scope scope, long epoch, boolean drain) {
        return ControlStates.stop(scope, epoch, drain);
    }
}
