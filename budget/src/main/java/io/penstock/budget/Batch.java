package io.penstock.budget;

import java.util.List;

/**
 * Calls that are decided together in one transaction.
 *
 * @param seq number on its lane; only grows
 * @param epoch the control epoch its calls were judged under
 * @param waitMillis how long it may wait for locks
 * @param demands every counter that is asked, each once
 * @param groups in order of arrival of each one's first call
 * @param places one per call, in order of arrival
 * @param intents one per call, in order of arrival; empty where nothing is journaled
 * @param limitMillis how long each call may hold units, one per call; empty where none holds any
 */
@SuppressWarnings("ArrayRecordComponent") // built once per batch, read by index, never compared
public record Batch(
        long seq,
        long epoch,
        int waitMillis,
        List<Demand> demands,
        List<Group> groups,
        List<Place> places,
        List<Intent> intents,
        long[] limitMillis) {

    /** At most so many calls are decided in one transaction. */
    public static final int CALLS_MAX = 1_024;

    /**
     * At most so many groups are: a group costs the ledger several times what one more call of a
     * group does, and everybody else waits for the locks meanwhile.
     */
    public static final int GROUPS_MAX = 512;

    /**
     * Where a call stands in its batch: it is admitted if its group got more than its rank.
     *
     * @param group index of its group
     * @param rank 0 for the first of its group to arrive
     */
    public record Place(int group, int rank) {}
}
