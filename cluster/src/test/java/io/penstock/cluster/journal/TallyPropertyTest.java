package io.penstock.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TallyPropertyTest {
    private static final int ROWS_MAX = 20;

    /** Any stream of refusals, split and joined in any way: no count is lost, no row too many. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89})
    void rows_anyHistory_addUpExactlyWithinTheBound(long seed) {
        Random random = new Random(seed);
        Tally tally = new Tally(0, ROWS_MAX);
        Map<Tally.Key, Long> model = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            Tally later = new Tally(i, ROWS_MAX);
            for (int j = random.nextInt(5); j >= 0; j--) {
                Tally.Key key = key(random);
                long count = 1 + random.nextInt(1_000);
                later.add(key, count);
                model.merge(key, count, Long::sum);
            }
            if (random.nextInt(50) == 0) {
                later.addOther("overloaded", 7);
                model.merge(new Tally.Key("overloaded", null, "-", "-"), 7L, Long::sum);
            }
            tally.absorb(later);
        }

        List<Tally.Row> rows = tally.rows();

        assertThat(byCode(rows)).isEqualTo(byCodeOf(model));
        assertThat(rows).filteredOn(row -> !row.others()).hasSizeLessThanOrEqualTo(ROWS_MAX);
        for (Tally.Row row : rows) {
            if (!row.others()) {
                assertThat(row.count()).isLessThanOrEqualTo(model.getOrDefault(row.key(), 0L));
            }
        }
    }

    private static Tally.Key key(Random random) {
        String code = List.of("stopped", "overloaded", "budget-exhausted").get(random.nextInt(3));
        String budget = code.equals("budget-exhausted") ? "b" + random.nextInt(3) : null;
        return new Tally.Key(code, budget, "t" + random.nextInt(3), "a" + random.nextInt(9));
    }

    private static Map<String, Long> byCode(List<Tally.Row> rows) {
        Map<String, Long> sums = new HashMap<>();
        rows.forEach(row -> sums.merge(row.code(), row.count(), Long::sum));
        return sums;
    }

    private static Map<String, Long> byCodeOf(Map<Tally.Key, Long> model) {
        Map<String, Long> sums = new HashMap<>();
        model.forEach((key, count) -> sums.merge(key.code(), count, Long::sum));
        return sums;
    }
}
