package io.penstock.budget;

/**
 * The calls of a batch that ask the same of the same counters.
 *
 * @param asked how many calls, 1 or more
 * @param demands which of the batch's demands each charge goes to; empty where no budget applies
 * @param amounts units of each charge for one call
 * @param kinds what becomes of each charge
 */
@SuppressWarnings("ArrayRecordComponent") // built once per batch, read by index, never compared
public record Group(int asked, int[] demands, long[] amounts, Charge.Kind[] kinds) {

    /** Whether any charge of its calls is held. */
    public boolean holds() {
        for (Charge.Kind kind : kinds) {
            if (kind != Charge.Kind.PLAIN) {
                return true;
            }
        }
        return false;
    }
}
