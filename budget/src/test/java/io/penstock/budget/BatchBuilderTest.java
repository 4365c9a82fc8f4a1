package io.penstock.budget;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class BatchBuilderTest {
    private final BatchBuilder builder = new BatchBuilder();

    private void add(Claim claim) {
        builder.add(
                claim, new Intent(UUID.randomUUID(), Batches.subject("a"), "tools/call"), 60_000);
    }

    @Test
    void build_sameClaimTwice_isOneGroup() {
        Claim claim = claim(counter("a", 5), counter("b", 5));
        add(claim);
        add(claim);

        Batch batch = builder.build(1, 2, 3);

        assertThat(batch.groups()).hasSize(1);
        assertThat(batch.groups().getFirst().asked()).isEqualTo(2);
        assertThat(batch.demands()).extracting(Demand::wanted).containsExactly(2L, 2L);
        assertThat(batch.places()).containsExactly(new Batch.Place(0, 0), new Batch.Place(0, 1));
    }

    @Test
    void build_equalCountersOfDifferentClaims_areNamedOnce() {
        add(claim(counter("a", 5), counter("b", 5)));
        add(claim(counter("b", 5)));

        Batch batch = builder.build(1, 2, 3);

        assertThat(batch.groups()).hasSize(2);
        assertThat(batch.demands()).extracting(Demand::wanted).containsExactly(1L, 2L);
        assertThat(batch.groups().get(1).demands()).containsExactly(1);
    }

    @Test
    void build_again_beginsEmpty() {
        Claim claim = claim(counter("a", 5));
        add(claim);
        builder.build(1, 2, 3);
        add(claim);

        Batch batch = builder.build(2, 2, 3);

        assertThat(batch.groups()).hasSize(1);
        assertThat(batch.places()).containsExactly(new Batch.Place(0, 0));
        assertThat(batch.intents()).hasSize(1);
    }

    @Test
    void fits_batchIsFull_isFalse() {
        for (int i = 0; i < Batch.CALLS_MAX; i++) {
            assertThat(builder.fits(Claim.NONE)).isTrue();
            add(Claim.NONE);
        }

        assertThat(builder.fits(Claim.NONE)).isFalse();
    }

    @Test
    void fits_tooManyGroups_isFalse() {
        for (int i = 0; i < Batch.GROUPS_MAX; i++) {
            assertThat(builder.fits(claim())).isTrue();
            add(claim());
        }

        assertThat(builder.fits(claim())).isFalse();
    }

    @Test
    void fits_tooManyCounters_isFalseButNeverForAnEmptyBatch() {
        Counter[] many = new Counter[BatchBuilder.DEMANDS_MAX];
        for (int i = 0; i < many.length; i++) {
            many[i] = counter("c" + i, 1);
        }
        assertThat(builder.fits(claim(many))).isTrue();
        add(claim(many));

        assertThat(builder.fits(claim(counter("one-more", 1)))).isFalse();
        assertThat(builder.fits(Claim.NONE)).isTrue();
    }

    /** Sums must be right whatever the mix; counted again here with hash maps. */
    @Test
    void build_randomClaims_sumsEveryCounter() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 200; round++) {
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                claims.add(
                        claim(
                                counter("c" + random.nextInt(30), 9),
                                counter("d" + random.nextInt(30), 9)));
            }
            Map<String, Long> expected = new HashMap<>();
            for (int i = 0; i < 300; i++) {
                Claim claim = claims.get(random.nextInt(claims.size()));
                add(claim);
                claim.charges().forEach(c -> expected.merge(c.counter().key(), 1L, Long::sum));
            }

            Batch batch = builder.build(round + 1, 1, 1);

            Map<String, Long> actual = new HashMap<>();
            batch.demands()
                    .forEach(d -> assertThat(actual.put(d.counter().key(), d.wanted())).isNull());
            assertThat(actual).isEqualTo(expected);
            assertThat(batch.groups().stream().mapToInt(Group::asked).sum()).isEqualTo(300);
        }
    }
}
