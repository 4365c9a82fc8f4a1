package io.penstock.cluster.control;

import io.penstock.cluster.postgres.Connector;
import java.util.function.LongSupplier;

/**
 * What the threads of a {@link ControlBus} share.
 *
 * @param callsTotal how many calls the replica has taken since it began
 */
record BusParts(
        BusConfig config,
        Clocks clocks,
        Connector connector,
        Installer installer,
        StateReader reader,
        Lease lease,
        NotifyProbe probe,
        OpenCalls calls,
        Acknowledger acknowledger,
        BusEvents events,
        LongSupplier callsTotal) {

    long now() {
        return clocks.ticker().getAsLong();
    }
}
