package io.penstock.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Subject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalTallyTest {
    private static final JournalLimits LIMITS = new JournalLimits(100, 10, 1, 1_000, 3, 5, 2, 4);
    private final AtomicLong clock = new AtomicLong();
    private final RefusalTally tally = new RefusalTally(LIMITS, clock::get);

    @Test
    void count_withinBound_standsAlone() {
        count("a", 3);

        assertThat(tally.singles()).hasSize(3);
        assertThat(tally.ended(true)).isEmpty();
    }

    @Test
    void count_beyondBound_isCounted() {
        count("a", 10);

        assertThat(tally.singles()).hasSize(3);
        assertThat(tally.ended(true).getFirst().rows())
                .containsExactly(
                        new Tally.Row("stopped", new Tally.Key("stopped", null, "t", "a"), 7));
    }

    @Test
    void count_moreAgentsThanRows_restIsOther() {
        count("x", 3);
        for (String agent : List.of("a", "b", "c", "d")) {
            count(agent, 5);
        }

        assertThat(tally.ended(true).getFirst().rows())
                .containsExactlyInAnyOrder(
                        new Tally.Row("stopped", new Tally.Key("stopped", null, "t", "a"), 5),
                        new Tally.Row("stopped", new Tally.Key("stopped", null, "t", "b"), 5),
                        new Tally.Row("stopped", null, 10));
    }

    @Test
    void count_nextSpan_mayStandAloneAgain() {
        count("a", 4);
        clock.addAndGet(LIMITS.slotNanos());
        count("a", 1);

        assertThat(tally.singles()).hasSize(4);
        assertThat(tally.ended(false)).hasSize(1);
    }

    @Test
    void ended_spanGoesOn_isNotGivenOut() {
        count("a", 4);

        assertThat(tally.ended(false)).isEmpty();
        clock.addAndGet(LIMITS.slotNanos());
        assertThat(tally.ended(false)).hasSize(1);
        assertThat(tally.ended(true)).isEmpty();
    }

    @Test
    void count_nobodyTakesTheSingles_theyAreCounted() {
        for (int span = 0; span < 4; span++) {
            count("a", 3);
            clock.addAndGet(LIMITS.slotNanos());
        }

        long counted =
                tally.ended(false).stream()
                        .flatMap(t -> t.rows().stream())
                        .mapToLong(Tally.Row::count)
                        .sum();
        assertThat(tally.singles()).hasSize(5);
        assertThat(counted).isEqualTo(7);
    }

    private void count(String agent, int times) {
        for (int i = 0; i < times; i++) {
            tally.count(
                    new RefusalEntry(
                            new UUID(0, i),
                            new Subject("t", agent, "files", "read", null),
                            "stopped",
                            null));
        }
    }
}
