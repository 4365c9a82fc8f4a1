package io.penstock.budget;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The prices of one revision. Of those that match a tool the first of a unit counts.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class PriceList {
    /** More than that in a revision are refused. */
    public static final int PRICES_MAX = 4_096;

    /** Nothing has a price. */
    public static final PriceList NONE = new PriceList(List.of());

    private record Row(Price price, @Nullable Glob server, @Nullable Glob tool) {}

    private final List<Price> all;
    private final List<Row> rows = new ArrayList<>();

    /**
     * @throws IllegalArgumentException if there are too many
     */
    public PriceList(List<Price> prices) {
        all = List.copyOf(prices);
        if (all.size() > PRICES_MAX) {
            throw new IllegalArgumentException(
                    "at most " + PRICES_MAX + " prices in a revision, not " + all.size());
        }
        for (Price price : all) {
            rows.add(new Row(price, Glob.of(price.server()), Glob.of(price.tool())));
        }
    }

    /** In the revision's order. */
    public List<Price> all() {
        return all;
    }

    /** What a call of that tool costs in that unit, or null where nothing says. */
    public @Nullable Price of(Unit unit, String server, String tool) {
        for (Row row : rows) {
            if (row.price().unit() == unit
                    && (row.server() == null || row.server().matches(server))
                    && (row.tool() == null || row.tool().matches(tool))) {
                return row.price();
            }
        }
        return null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PriceList that && all.equals(that.all);
    }

    @Override
    public int hashCode() {
        return all.hashCode();
    }

    @Override
    public String toString() {
        return "PriceList" + all;
    }
}
