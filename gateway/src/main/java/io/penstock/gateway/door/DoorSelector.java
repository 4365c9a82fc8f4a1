package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.util.Set;

/** The listener's only selector: takes every connection, before any byte of it was read. */
final class DoorSelector implements ServerConnectionSelector {
    private final Door door;

    DoorSelector(Door door) {
        this.door = door;
    }

    @Override
    public int bytesToIdentifyConnection() {
        return 0;
    }

    @Override
    public Support supports(BufferData data) {
        return Support.SUPPORTED;
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return Set.of();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        return new DoorConnection(door, context);
    }
}
