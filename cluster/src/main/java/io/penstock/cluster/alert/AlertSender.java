package io.penstock.cluster.alert;

/** Delivers alerts to people. */
@FunctionalInterface
public interface AlertSender {

    /**
     * Delivers one; may block for some seconds.
     *
     * @return whether it has arrived; otherwise it is tried again later, five times in all
     */
    boolean send(Alert alert);
}
