package io.penstock.cluster.admission;

import io.penstock.budget.Claim;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.Snapshot;
import java.util.UUID;

/**
 * One call that asks to be admitted.
 *
 * @param claim what it asks of its budgets under that snapshot's rules; empty where none applies
 * @param method the protocol's name of what it does, for the intent
 * @param snapshot the control state it was judged under and found clear; under any other state it
 *     is judged again before it is charged
 * @param limitMillis how long the call may hold units: what is held longer is lost to it
 * @param arrivedNanos when it arrived, on the monotonic clock: its deadline counts from then
 */
public record AdmissionRequest(
        UUID call,
        Subject subject,
        Claim claim,
        String method,
        Snapshot snapshot,
        long limitMillis,
        long arrivedNanos) {}
