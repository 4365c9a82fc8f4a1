package io.penstock.gateway.door;

import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.http2.Http2ConnectionSelector;
import io.helidon.webserver.spi.ServerConnectionSelector;
import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.RequestHandler;
import io.penstock.gateway.socket.Pollers;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What all connections of one listener share. */
final class Door {
    /** Of the heap, what bodies that are being read or answered may take together. */
    private static final int HEAP_SHARE = 4;

    /** Of one HTTP/2 connection's bodies, what may wait to be read. */
    private static final int WINDOW_BYTES = 128 * 1024;

    final Pollers pollers;
    final LimitsConfig limits;
    final boolean http10;
    final RequestHandler handler;
    final LongSupplier ticker;
    final DoorEvents events;
    final DoorMarks marks;
    final DateLine date;
    final @Nullable ServerTlsContext tls;
    final ServerConnectionSelector http2;
    final Http2Listener listener = new Http2Listener();
    final BodyBudget bodies = new BodyBudget(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
    final Set<DoorConnection> open = ConcurrentHashMap.newKeySet();
    final AtomicInteger calls = new AtomicInteger();
    volatile boolean draining;
    volatile boolean ended;

    /**
     * @param http10 whether HTTP/1.0 may look, as the checks of load balancers do
     */
    Door(
            Pollers pollers,
            LimitsConfig limits,
            boolean http10,
            RequestHandler handler,
            LongSupplier ticker,
            InstantSource clock,
            DoorEvents events,
            DoorMarks marks,
            @Nullable ServerTlsContext tls) {
        this.pollers = pollers;
        this.limits = limits;
        this.http10 = http10;
        this.handler = handler;
        this.ticker = ticker;
        this.events = events;
        this.marks = marks;
        this.tls = tls;
        date = new DateLine(clock);
        http2 = Http2ConnectionSelector.builder().http2Config(http2(limits)).build();
    }

    /** Headers of a refusal of the door's own. */
    HeaderBlock refusal(RequestRefused refused) {
        HeaderBlock headers = Problem.headers(refused.status());
        boolean ours = refused.reason() == RequestRefused.Reason.OVERLOADED;
        marks.add(headers, ours ? "overloaded" : "malformed");
        return headers;
    }

    private static Http2Config http2(LimitsConfig limits) {
        return Http2Config.builder()
                .name("@default")
                .maxConcurrentStreams(limits.streams())
                .maxHeaderListSize(limits.headerBytes())
                .initialWindowSize(WINDOW_BYTES)
                .flowControlTimeout(limits.bodyTimeout())
                .validatePath(false)
                .build();
    }
}
