package io.penstock.gateway.admin;

import io.penstock.gateway.config.AdminConfig;
import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.Readiness;
import io.penstock.gateway.door.DataListener;
import io.penstock.gateway.door.DoorEvents;
import io.penstock.gateway.door.DoorMarks;
import io.penstock.gateway.socket.Pollers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The operators' side of a replica: health, metrics, and an API to look and to stop. A listener of
 * its own, never the agents' port; the same strict one, so that it has the same bounds.
 *
 * <p><b>Threads.</b> {@link #start} and {@link #close} by the replica.
 */
public final class AdminPlane implements AutoCloseable {
    /** An order has at most a hundred scopes; this is room for each of them at its longest. */
    static final LimitsConfig LIMITS =
            new LimitsConfig(
                    64 * 1024,
                    16 * 1024,
                    8,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(1),
                    256,
                    16);

    private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

    /** HTTP/1.0 too: what load balancers check with where nothing else is said. */
    private final DataListener listener;

    private final BudgetRatios ratios;

    /** What the plane shows and whom it gives orders. */
    public record Ports(
            ReplicaState replica, StatusSource status, StopGiver stops, BlockGiver blocks) {}

    /**
     * The clocks and the source of ids.
     *
     * @param ids of stops that are given here
     */
    public record Sources(LongSupplier ticker, InstantSource wall, Supplier<UUID> ids) {}

    /**
     * @throws IllegalArgumentException where the tokens file or the TLS files cannot be used
     */
    public AdminPlane(
            Pollers pollers,
            AdminConfig config,
            Readiness readiness,
            Ports ports,
            Meters meters,
            Sources sources) {
        Path file = config.tokensFile();
        TokensFile tokens = file == null ? null : new TokensFile(file, sources.ticker());
        Queries queries = new Queries(ports.status());
        AdminHandler handler =
                new AdminHandler(
                        new Login(tokens, new FailedLogins(sources.ticker())),
                        new Health(ports.replica(), readiness),
                        meters,
                        new StatusPages(ports.replica(), queries),
                        new AdminHandler.Orders(
                                new StopOrders(ports.stops(), sources.ids()),
                                new BlockOrders(ports.blocks())));
        listener =
                new DataListener(
                        pollers,
                        config.listen(),
                        LIMITS,
                        true,
                        handler,
                        sources.ticker(),
                        sources.wall(),
                        DoorEvents.NONE,
                        DoorMarks.NONE);
        ratios = new BudgetRatios(queries, meters);
    }

    /** Binds and answers. */
    public void start() {
        listener.start();
        ratios.start();
    }

    /** The port it listens on. */
    public int port() {
        return listener.port();
    }

    @Override
    public void close() {
        ratios.close();
        listener.close(CLOSE_GRACE);
    }
}
