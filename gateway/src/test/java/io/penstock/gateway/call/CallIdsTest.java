package io.penstock.gateway.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallIdsTest {
    private static final Instant NOW = Instant.parse("2026-12-01T00:00:00.123Z");

    @Test
    void get_anyTime_isVersion7WithTheTimeInFront() {
        SplittableRandom random = new SplittableRandom(1);
        UUID id = new CallIds(InstantSource.fixed(NOW), () -> random).get();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void get_sameMillisecond_neverTheSameTwice() {
        SplittableRandom random = new SplittableRandom(2);
        CallIds ids = new CallIds(InstantSource.fixed(NOW), () -> random);
        Set<UUID> seen = new HashSet<>();

        for (int i = 0; i < 10_000; i++) {
            assertThat(seen.add(ids.get())).isTrue();
        }
    }
}
