package io.penstock.budget;

/**
 * Where a counter stood when a call was decided.
 *
 * @param remaining units left after the decision
 * @param endsInMicros until units come back by themselves, by the database's clock at the decision;
 *     -1 = never
 * @param withheld units asked and not charged: above 0 on the counters that refused the call, and
 *     on a shadow counter that would have refused it
 * @param held units of calls in flight, which may come back
 */
public record Standing(
        Counter counter, long remaining, long endsInMicros, long withheld, long held) {

    /** With nothing held. */
    public Standing(Counter counter, long remaining, long endsInMicros, long withheld) {
        this(counter, remaining, endsInMicros, withheld, 0);
    }

    /** A shadow budget was counted to its end: an enforced one would have refused this call. */
    public boolean wouldRefuse() {
        return counter.shadow() && withheld > 0;
    }

    /** Whether units come back later than on the other; never is later than any time. */
    public boolean endsAfter(Standing other) {
        return other.endsInMicros >= 0 && (endsInMicros < 0 || endsInMicros > other.endsInMicros);
    }
}
