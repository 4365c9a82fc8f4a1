package io.penstock.gateway.door;

import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.Router;
import io.helidon.webserver.Routing;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** What Helidon's HTTP/2 sees of a connection: our reader, our writer, our routing. */
final class Http2Context implements ConnectionContext {
    private final ListenerContext listener;
    private final Http2Link link;
    private final HelidonSocket socket;
    private final DataReader reader;
    private final DataWriter writer;
    private final Router router = new OneRouting();

    Http2Context(
            ListenerContext listener,
            Http2Link link,
            HelidonSocket socket,
            DataReader reader,
            DataWriter writer) {
        this.listener = listener;
        this.link = link;
        this.socket = socket;
        this.reader = reader;
        this.writer = writer;
    }

    Http2Link link() {
        return link;
    }

    @Override
    public ListenerContext listenerContext() {
        return listener;
    }

    @Override
    public ExecutorService executor() {
        return listener.executor();
    }

    @Override
    public DataWriter dataWriter() {
        return writer;
    }

    @Override
    public DataReader dataReader() {
        return reader;
    }

    @Override
    public Router router() {
        return router;
    }

    @Override
    public HelidonSocket serverSocket() {
        return socket;
    }

    @Override
    public PeerInfo remotePeer() {
        return socket.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
        return socket.localPeer();
    }

    @Override
    public boolean isSecure() {
        return socket.isSecure();
    }

    @Override
    public String socketId() {
        return socket.socketId();
    }

    @Override
    public String childSocketId() {
        return socket.childSocketId();
    }

    /** Every request goes to the one routing; Helidon adds routings of its own to a listener. */
    private static final class OneRouting implements Router {
        private final Http2Routing routing = new Http2Routing();

        @Override
        public <T extends Routing> T routing(Class<T> type, T otherwise) {
            return type.isInstance(routing) ? type.cast(routing) : otherwise;
        }

        @Override
        public void afterStop() {}

        @Override
        public void beforeStart() {}

        @Override
        public List<? extends Routing> routings() {
            return List.of(routing);
        }
    }
}
