package io.penstock.gateway.door;

import static io.penstock.gateway.socket.TestPollers.SHARED;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A listener on a free port of the loopback, with a handler whose calls are noted. */
final class Listening implements AutoCloseable {
    /** Generous: only a hang is to be caught by it. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    final DataListener listener;
    final List<InboundRequest> requests = new CopyOnWriteArrayList<>();
    final Map<String, AtomicInteger> refused = new ConcurrentHashMap<>();
    final Map<String, AtomicInteger> timedOut = new ConcurrentHashMap<>();
    final AtomicInteger closed = new AtomicInteger();

    private Listening(ListenConfig listen, LimitsConfig limits, RequestHandler handler) {
        DoorEvents events =
                new DoorEvents() {
                    @Override
                    public void closed() {
                        closed.incrementAndGet();
                    }

                    @Override
                    public void refused(String reason) {
                        count(refused, reason);
                    }

                    @Override
                    public void timedOut(String reason) {
                        count(timedOut, reason);
                    }
                };
        listener =
                new DataListener(
                        SHARED,
                        listen,
                        limits,
                        (request, reply) -> {
                            requests.add(request);
                            handler.handle(request, reply);
                        },
                        System::nanoTime,
                        InstantSource.system(),
                        events);
        listener.start();
    }

    static Listening plain(LimitsConfig limits, RequestHandler handler) {
        return new Listening(new ListenConfig("127.0.0.1", 0, false, null), limits, handler);
    }

    static Listening at(ListenConfig listen, LimitsConfig limits, RequestHandler handler) {
        return new Listening(listen, limits, handler);
    }

    static Listening at(ListenConfig listen, RequestHandler handler) {
        return new Listening(listen, LimitsConfig.DEFAULT, handler);
    }

    static Listening echo() {
        return plain(LimitsConfig.DEFAULT, Listening::echo);
    }

    /** Bounds small enough to be met, times long enough for a loaded machine. */
    static LimitsConfig limits() {
        return new LimitsConfig(
                64 * 1024,
                4 * 1024,
                64,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                100,
                10);
    }

    /** Bounds with times as short as can be told apart. */
    static LimitsConfig hasty(Duration header, Duration body, Duration idle) {
        return new LimitsConfig(64 * 1024, 4 * 1024, 64, header, body, idle, 100, 10);
    }

    static void echo(InboundRequest request, Reply reply) {
        HeaderBlock headers = new HeaderBlock().add("Content-Type", "application/octet-stream");
        headers.add("X-Method", request.method()).add("X-Target", request.target());
        reply.send(200, headers, request.body(), 0, request.body().length);
    }

    static void text(Reply reply, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        reply.send(
                200, new HeaderBlock().add("Content-Type", "text/plain"), bytes, 0, bytes.length);
    }

    int port() {
        return listener.port();
    }

    RawClient client() {
        return RawClient.connect(port());
    }

    int timedOut(String reason) {
        AtomicInteger count = timedOut.get(reason);
        return count == null ? 0 : count.get();
    }

    static void eventually(String what, BooleanSupplier holds) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("never came true: " + what);
            }
            pause();
        }
    }

    static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void count(Map<String, AtomicInteger> in, @Nullable String reason) {
        in.computeIfAbsent(String.valueOf(reason), key -> new AtomicInteger()).incrementAndGet();
    }

    @Override
    public void close() {
        listener.close();
    }
}
