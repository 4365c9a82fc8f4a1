package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LanePaceTest {
    private static final long ROUND_NANOS = 1_000_000;

    private final LanePace pace = new LanePace(3);

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
        rounds(1_000, true, 800);

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
}
