package io.penstock.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.control.Incarnation;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TermsTest {
    private static final Incarnation ME = new Incarnation("a", new UUID(1, 1));
    private static final Incarnation NEXT = new Incarnation("a", new UUID(1, 2));
    private static final Term SWEEP = new Term("sweep", ME, 3);

    private final Terms terms = new Terms();

    @Test
    void due_renewedLately_isNothing() {
        terms.won(SWEEP, 0);

        assertThat(terms.due(seconds(4))).isEmpty();
        assertThat(terms.due(seconds(5))).containsExactly(SWEEP);
    }

    @Test
    void renewed_countsFromItsBeginning() {
        terms.won(SWEEP, 0);
        terms.renewed(List.of(SWEEP), Set.of("sweep"), seconds(5));

        assertThat(terms.expire(ME, seconds(14))).isEmpty();
        assertThat(terms.expire(ME, seconds(15))).containsExactly(SWEEP);
        assertThat(terms.duties()).isEmpty();
    }

    @Test
    void renewed_notInTheAnswer_isLost() {
        terms.won(SWEEP, 0);

        assertThat(terms.renewed(List.of(SWEEP), Set.of(), seconds(5))).containsExactly(SWEEP);
        assertThat(terms.of("sweep")).isNull();
    }

    @Test
    void expire_notRenewedForTenSeconds_isGivenUp() {
        terms.won(SWEEP, 0);

        assertThat(terms.expire(ME, seconds(9))).isEmpty();
        assertThat(terms.expire(ME, seconds(10))).containsExactly(SWEEP);
    }

    @Test
    void expire_anotherLife_isGivenUpAtOnce() {
        terms.won(SWEEP, 0);

        assertThat(terms.expire(NEXT, seconds(1))).containsExactly(SWEEP);
    }

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
