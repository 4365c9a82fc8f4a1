package io.penstock.budget;

import org.jspecify.annotations.Nullable;

/**
 * What calls of a tool cost in one unit.
 *
 * @param server glob on the server's name, or null for every server
 * @param tool glob on the tool's name, or null for every tool
 * @param unit a priced one
 */
public record Price(@Nullable String server, @Nullable String tool, Unit unit, Amount amount) {

    public Price {
        if (!unit.priced()) {
            throw new IllegalArgumentException("a price is of cost, tokens or bytes, not " + unit);
        }
        if (amount.max() < 1 || amount.max() > Budget.AMOUNT_MAX) {
            throw new IllegalArgumentException(
                    "a price must be 1 to 2^52 units, is " + amount.max());
        }
    }

    /** How much. */
    public sealed interface Amount {
        /** The most a call may cost, units. */
        long max();
    }

    /** Known beforehand. */
    public record Known(long units) implements Amount {
        @Override
        public long max() {
            return units;
        }
    }

    /**
     * Known afterwards.
     *
     * @param max the most a call may cost, units
     * @param source where the number stands
     * @param each units for each one of the number, 1 or more
     */
    public record Measured(long max, Source source, long each) implements Amount {
        public Measured {
            if (each < 1 || each > Budget.AMOUNT_MAX) {
                throw new IllegalArgumentException(
                        "units for each one must be 1 to 2^52, not " + each);
            }
        }
    }

    /** Where the number stands that an answer brings. */
    public sealed interface Source {}

    /** In the result, at a JSON pointer (RFC 6901). */
    public record ResultPointer(String pointer) implements Source {}

    /** In a header of the answer. */
    public record ResponseHeader(String name) implements Source {}

    /** Nowhere: the gateway counts the body bytes that pass, both ways. */
    public record BodyBytes() implements Source {}
}
