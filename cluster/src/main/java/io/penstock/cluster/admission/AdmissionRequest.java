package io.penstock.cluster.admission;

import io.penstock.budget.Claim;
import io.penstock.budget.Subject;
import java.util.UUID;

/**
 * One call that asks to be admitted.
 *
 * @param claim what it asks of its budgets; empty where none applies
 * @param method the protocol's name of what it does, for the intent
 * @param arrivedNanos when it arrived, on the monotonic clock: its deadline counts from then
 */
public record AdmissionRequest(
        UUID call, Subject subject, Claim claim, String method, long arrivedNanos) {}
