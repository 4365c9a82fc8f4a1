package io.penstock.cluster.operator;

import java.util.List;

/**
 * What came of a change that travels on the control epoch, such as a revoked key.
 *
 * @param epoch what replicas have to acknowledge; 0 if it was not recorded
 * @param replicas one for each replica that was registered
 * @param message the result in a sentence
 */
public record ChangeReport(
        Result result, long epoch, List<ReplicaAnswer> replicas, String message) {
    public ChangeReport {
        replicas = List.copyOf(replicas);
    }

    /** Waits until every replica judges by the epoch, or has no lease. */
    static ChangeReport await(
            OrderSession session,
            long epoch,
            long sentNanos,
            Patience patience,
            Progress progress) {
        progress.recorded(epoch);
        long deadline = session.now() + patience.atMost().toNanos();
        Confirmation.Confirmed confirmed =
                new Confirmation(session, progress, epoch, sentNanos, false).await(deadline);
        return new ChangeReport(
                confirmed.complete() ? Result.CONFIRMED : Result.NOT_CONFIRMED,
                epoch,
                confirmed.answers(),
                confirmed.complete()
                        ? confirmed.answers().isEmpty()
                                ? "no replica is registered"
                                : "every replica is confirmed"
                        : "recorded, not confirmed in time");
    }

    static ChangeReport notRecorded(String reason) {
        return new ChangeReport(Result.NOT_RECORDED, 0, List.of(), "not recorded: " + reason);
    }
}
