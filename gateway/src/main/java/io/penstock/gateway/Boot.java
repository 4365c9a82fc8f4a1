package io.penstock.gateway;

import io.penstock.cluster.Enrolment;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.gateway.config.RulesConfig;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a database that this program can serve with.
 *
 * <p><b>Guarantee.</b> Nothing is admitted while it waits. A replica whose file differs from the
 * cluster's rules does not start: two replicas never judge by different rules.
 *
 * <p><b>Failure.</b> A database that is away, too old or too new is waited for, with the reason to
 * read; rules that differ throw {@link ReplicaRefusedException}.
 *
 * <p><b>Threads.</b> {@link #await} by one thread; {@link #why} and {@link #abandon} by any.
 */
final class Boot {
    private static final System.Logger LOG = System.getLogger(Boot.class.getName());
    private static final Duration RETRY_MIN = Duration.ofMillis(100);
    private static final Duration RETRY_MAX = Duration.ofSeconds(1);

    private final Enrolment enrolment;
    private final CountDownLatch abandoned = new CountDownLatch(1);
    private volatile @Nullable String why = "starting";

    Boot(DatabaseConfig database, RulesConfig file, String actor) {
        enrolment = new Enrolment(database, file::after, actor);
    }

    /** What it waits for, or null when it is done. */
    @Nullable String why() {
        return why;
    }

    /** Ends the wait from another thread. */
    void abandon() {
        abandoned.countDown();
    }

    /**
     * Waits until the database can be served with.
     *
     * @return false if the wait was abandoned
     */
    boolean await() {
        Duration pause = RETRY_MIN;
        while (true) {
            switch (enrolment.attempt()) {
                case Enrolment.Result.Enrolled _ -> {
                    why = null;
                    return true;
                }
                case Enrolment.Result.Waits waits -> tell(waits.reason());
                case Enrolment.Result.Foreign foreign ->
                        throw new ReplicaRefusedException(
                                "the cluster never had the rules of this file: "
                                        + String.join("; ", foreign.differences())
                                        + ". Run `penstock apply -f FILE` to make them the"
                                        + " cluster's, or take the difference out of the file");
            }
            if (abandonedWithin(pause)) {
                return false;
            }
            Duration longer = pause.multipliedBy(2);
            pause = longer.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : longer;
        }
    }

    private void tell(String reason) {
        if (!reason.equals(why)) {
            LOG.log(Level.WARNING, "event=boot-waits reason=\"{0}\"", reason);
        }
        why = reason;
    }

    private boolean abandonedWithin(Duration pause) {
        try {
            return abandoned.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** What the file says nothing of is as the cluster has it. */
}
