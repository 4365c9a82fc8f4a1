package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LanePaceTest {
    private static final long ROUND_NANOS = 1_000_000;

    private final LanePace pace = new LanePace(3);

    /** Every third round finds nobody in its way, as it does between lanes that take turns. */
    private void crowded(int count) {
        for (int i = 0; i < count; i++) {
            pace.round(true, i % 3 == 0 ? 100 : 900, ROUND_NANOS);
        }
    }

    private void rounds(int count, boolean full, long lockWaitMicros) {
        for (int i = 0; i < count; i++) {
            pace.round(full, lockWaitMicros, ROUND_NANOS);
        }
    }

    @Test
    void lanes_atFirst_isOne() {
        assertThat(pace.lanes()).isEqualTo(1);
    }

    @Test
    void round_smallBatches_staysAtOne() {
        rounds(1_000, false, 0);

        assertThat(pace.lanes()).isEqualTo(1);
    }

    @Test
    void round_fullBatchesAndFreeLocks_addsLanesUpToTheMost() {
        rounds(1_000, true, 0);

        assertThat(pace.lanes()).isEqualTo(3);
    }

    @Test
    void round_lanesWaitForEachOther_goesBackToOne() {
        rounds(1_000, true, 0);
        crowded(1_000);

        assertThat(pace.lanes()).isEqualTo(1);
    }

    @Test
    void round_batchesBecomeSmall_goesBackToOne() {
        rounds(1_000, true, 0);
        rounds(1_000, false, 0);

        assertThat(pace.lanes()).isEqualTo(1);
    }

    @Test
    void round_shortBurst_changesNothing() {
        rounds(40, true, 0);

        assertThat(pace.lanes()).isEqualTo(1);
    }

    /** A quick database: a third of its round is reading the batch, which is no waiting. */
    @Test
    void round_sameShortWaitAlways_countsAsFreeLocks() {
        rounds(1_000, true, 330);

        assertThat(pace.lanes()).isEqualTo(3);
    }
}
