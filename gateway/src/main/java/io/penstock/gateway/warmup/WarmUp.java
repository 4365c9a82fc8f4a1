package io.penstock.gateway.warmup;

import io.penstock.budget.Mode;
import io.penstock.cluster.admission.Admission;
import io.penstock.cluster.admission.AdmissionRequest;
import io.penstock.cluster.admission.Verdict;
import io.penstock.cluster.control.ControlView;
import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.journal.Outcome;
import io.penstock.cluster.journal.RefusalEntry;
import io.penstock.gateway.api.DoorRefusals;
import io.penstock.gateway.api.Entrance;
import io.penstock.gateway.api.HttpDoor;
import io.penstock.gateway.api.Origins;
import io.penstock.gateway.api.Router;
import io.penstock.gateway.call.CallJournal;
import io.penstock.gateway.call.CallObserver;
import io.penstock.gateway.call.CallPath;
import io.penstock.gateway.call.DecisionHeaders;
import io.penstock.gateway.call.Forwarder;
import io.penstock.gateway.call.OpenCallRegistry;
import io.penstock.gateway.call.Target;
import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.door.DataListener;
import io.penstock.gateway.door.DoorEvents;
import io.penstock.gateway.identity.OpenHeaders;
import io.penstock.gateway.mcp.McpDoor;
import io.penstock.gateway.mcp.SealKey;
import io.penstock.gateway.mcp.SealKeys;
import io.penstock.gateway.mcp.Sessions;
import io.penstock.gateway.socket.Pollers;
import io.penstock.gateway.upstream.PooledUpstream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls through a call path of the same classes, to a stub on loopback, so that they are
 * loaded and compiled before the replica says that it is ready. Charges nothing, journals nothing,
 * reaches nobody.
 *
 * <p><b>Failure.</b> Never in the way of a start: whatever goes wrong ends the warm-up.
 *
 * <p><b>Cost.</b> At most {@value #CALLS_MAX} calls and {@value #MILLIS_MAX} ms, while the replica
 * waits for its database anyway.
 */
public final class WarmUp {
    static final byte[] BODY =
            """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warm","arguments":{}}}\
            """
                    .getBytes(StandardCharsets.US_ASCII);

    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());
    private static final int CALLS_MAX = 400;
    private static final int MILLIS_MAX = 400;
    private static final int ANSWER_BYTES_MAX = 4096;
    private static final int SOCKET_TIMEOUT_MILLIS = 1_000;
    private static final String NAME = "warm-up";

    private final Pollers pollers;
    private final LongSupplier ticker;
    private final InstantSource clock;
    private final Supplier<UUID> ids;

    public WarmUp(Pollers pollers, LongSupplier ticker, InstantSource clock, Supplier<UUID> ids) {
        this.pollers = pollers;
        this.ticker = ticker;
        this.clock = clock;
        this.ids = ids;
    }

    /** Runs to its end. */
    public void run() {
        long began = ticker.getAsLong();
        try (StubServer stub = new StubServer();
                PooledUpstream upstream = new PooledUpstream(pollers, server(stub.port()), ticker);
                DataListener listener = listener(new Target(server(stub.port()), upstream))) {
            listener.start();
            int calls = call(listener.port(), began);
            LOG.log(
                    Level.DEBUG,
                    "event=warmed-up calls={0} ms={1}",
                    calls,
                    Duration.ofNanos(ticker.getAsLong() - began).toMillis());
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "event=warm-up-failed reason=\"{0}\"", e.toString());
        }
    }

    private int call(int port, long began) throws IOException {
        byte[] request = request();
        byte[] answer = new byte[ANSWER_BYTES_MAX];
        int calls = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(SOCKET_TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            while (calls < CALLS_MAX && millisSince(began) < MILLIS_MAX) {
                out.write(request);
                // The answer is small and written at once: one read takes it whole.
                if (in.read(answer) < 0) {
                    return calls;
                }
                calls++;
            }
        }
        return calls;
    }

    private long millisSince(long began) {
        return Duration.ofNanos(ticker.getAsLong() - began).toMillis();
    }

    private static byte[] request() {
        byte[] head =
                """
                POST /mcp/%s HTTP/1.1\r
                Host: 127.0.0.1\r
                Content-Type: application/json\r
                Accept: application/json, text/event-stream\r
                Penstock-Tenant: %s\r
                Penstock-Agent: %s\r
                Content-Length: %d\r
                \r
                """
                        .formatted(NAME, NAME, NAME, BODY.length)
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + BODY.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(BODY, 0, request, head.length, BODY.length);
        return request;
    }

    private DataListener listener(Target target) {
        ControlView view = new ControlView(state());
        DecisionHeaders headers = new DecisionHeaders(NAME);
        Forwarder forwarder =
                new Forwarder(
                        view,
                        new OpenCallRegistry(ticker),
                        new AdmitsAll(),
                        new NoJournal(),
                        headers,
                        CallObserver.NONE,
                        Duration.ZERO,
                        ticker);
        CallPath path =
                new CallPath(
                        Map.of(NAME, target),
                        view,
                        new AdmitsAll(),
                        new NoJournal(),
                        forwarder,
                        headers,
                        CallObserver.NONE,
                        ticker);
        Entrance entrance =
                new Entrance(new OpenHeaders(), headers, DoorRefusals.NONE, path, ids, ticker);
        List<ServerConfig> servers = List.of(target.config());
        int nesting = LimitsConfig.DEFAULT.nesting();
        McpDoor mcp =
                new McpDoor(
                        servers, entrance, new Sessions(new NoSeal(), new SecureRandom()), nesting);
        return new DataListener(
                pollers,
                new ListenConfig("127.0.0.1", 0, false, null),
                LimitsConfig.DEFAULT,
                new Router(mcp, new HttpDoor(servers, entrance), new Origins(List.of()), entrance),
                ticker,
                clock,
                DoorEvents.NONE);
    }

    private Snapshot state() {
        return new Snapshot(
                1,
                new Rules(1, List.of(), Map.of(NAME, Mode.ENFORCE), Duration.ofSeconds(1)),
                List.of(),
                List.of(),
                KeyRing.EMPTY,
                ticker.getAsLong() + Duration.ofMinutes(1).toNanos());
    }

    private static ServerConfig server(int port) {
        Duration patience = Duration.ofSeconds(1);
        return new ServerConfig(
                NAME,
                URI.create("http://127.0.0.1:" + port + "/mcp"),
                true,
                Mode.ENFORCE,
                patience,
                patience,
                patience,
                patience,
                1,
                Map.of(),
                null,
                List.of(),
                false);
    }

    /** Lets everything through, for nothing. */
    private static final class AdmitsAll implements Admission {
        @Override
        public Verdict admit(AdmissionRequest request) {
            return new Verdict.Admitted(1, 1, List.of(), new Verdict.Ticket() {});
        }

        @Override
        public void giveBack(Verdict.Admitted admitted) {}

        @Override
        public void settle(Verdict.Admitted admitted, List<Spent> spent) {}
    }

    /** Keeps nothing. */
    private static final class NoJournal implements CallJournal {
        @Override
        public void outcome(Outcome outcome) {}

        @Override
        public void refusal(RefusalEntry refusal) {}
    }

    /** Has no session to seal. */
    private static final class NoSeal implements SealKeys {
        @Override
        public @Nullable SealKey current() {
            return null;
        }

        @Override
        public @Nullable SealKey find(int id) {
            return null;
        }
    }
}
