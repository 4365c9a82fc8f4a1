package io.penstock.gateway.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.call.DecisionHeaders;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.identity.OpenHeaders;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Everything around a door: who calls, what became a call, what did not. */
public final class FakeGateway implements DoorRefusals {
    private static final byte[] OK = "{\"ok\":true}".getBytes(UTF_8);

    private final List<Call> calls = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final List<Integer> rejected = new ArrayList<>();
    private BiConsumer<Call, Reply> upstream = FakeGateway::answer;
    private long ids;
    private long nanos;

    /** Answers each call that way from now on. */
    public FakeGateway upstream(BiConsumer<Call, Reply> behaviour) {
        upstream = behaviour;
        return this;
    }

    /** What an upstream answers unless told otherwise. */
    public static void answer(Call call, Reply reply) {
        HeaderBlock headers = new HeaderBlock().add("Content-Type", "application/json");
        call.dialect().answered(200, headers);
        reply.send(200, headers, OK, 0, OK.length);
    }

    public Entrance entrance() {
        return new Entrance(
                new OpenHeaders(),
                new DecisionHeaders("r1"),
                this,
                (call, reply) -> {
                    calls.add(call);
                    upstream.accept(call, reply);
                },
                () -> new UUID(0, ++ids),
                () -> ++nanos);
    }

    @Override
    public void refused(RefusalCode code, @Nullable Subject subject, UUID call) {
        refused.add(code.label() + " " + (subject == null ? "-" : subject.server()));
    }

    @Override
    public void rejected(int status, UUID call) {
        rejected.add(status);
    }

    public List<Call> calls() {
        return calls;
    }

    public Call call() {
        if (calls.size() != 1) {
            throw new AssertionError("one call expected, not " + calls.size());
        }
        return calls.getFirst();
    }

    public List<String> refused() {
        return refused;
    }

    public List<Integer> rejected() {
        return rejected;
    }

    /** Headers of agent {@code a} of tenant {@code t}. */
    public static HeaderBlock agent() {
        return new HeaderBlock().add("Penstock-Tenant", "t").add("Penstock-Agent", "a");
    }

    public static InboundRequest request(
            String method, String target, HeaderBlock headers, byte[] body) {
        InetSocketAddress peer = InetSocketAddress.createUnresolved("client", 1);
        return new InboundRequest(method, target, headers, body, peer, null, 42);
    }

    public static ServerConfig server(String name, String url, boolean mcp, String... routes) {
        return server(name, url, mcp, false, routes);
    }

    public static ServerConfig server(
            String name, String url, boolean mcp, boolean byStatus, String... routes) {
        return new ServerConfig(
                name,
                URI.create(url),
                mcp,
                Mode.ENFORCE,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                8,
                Map.of(),
                null,
                List.of(routes),
                byStatus);
    }
}
