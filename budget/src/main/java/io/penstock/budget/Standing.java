package io.penstock.budget;

/**
 * Where a counter stood when a call was decided.
 *
 * @param remaining units left after the decision
 * @param endsInMicros until the window ends, by the database's clock at the decision
 * @param withheld units asked and not charged: above 0 on the counters that refused the call, and
 *     on a shadow counter that would have refused it
 */
public record Standing(Counter counter, long remaining, long endsInMicros, long withheld) {

    /** A shadow budget was counted to its end: an enforced one would have refused this call. */
    public boolean wouldRefuse() {
        return counter.shadow() && withheld > 0;
    }

    /** Whether its window ends later than the other's. */
    public boolean endsAfter(Standing other) {
        return endsInMicros > other.endsInMicros;
    }
}
