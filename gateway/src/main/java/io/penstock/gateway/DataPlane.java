package io.penstock.gateway;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.journal.Outcome;
import io.penstock.cluster.journal.RefusalEntry;
import io.penstock.gateway.api.DoorRefusals;
import io.penstock.gateway.api.Entrance;
import io.penstock.gateway.api.HttpDoor;
import io.penstock.gateway.api.Origins;
import io.penstock.gateway.api.Router;
import io.penstock.gateway.call.CallIds;
import io.penstock.gateway.call.CallJournal;
import io.penstock.gateway.call.CallObserver;
import io.penstock.gateway.call.CallPath;
import io.penstock.gateway.call.DecisionHeaders;
import io.penstock.gateway.call.Forwarder;
import io.penstock.gateway.call.OpenCallRegistry;
import io.penstock.gateway.call.Target;
import io.penstock.gateway.config.IdentityConfig;
import io.penstock.gateway.config.ReplicaConfig;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.door.DataListener;
import io.penstock.gateway.door.DoorEvents;
import io.penstock.gateway.identity.ApiKeys;
import io.penstock.gateway.identity.Identification;
import io.penstock.gateway.identity.KeysFile;
import io.penstock.gateway.identity.OpenHeaders;
import io.penstock.gateway.mcp.McpDoor;
import io.penstock.gateway.mcp.SealKeys;
import io.penstock.gateway.mcp.Sessions;
import io.penstock.gateway.socket.Pollers;
import io.penstock.gateway.upstream.PooledUpstream;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The agents' side of a replica: listener, doors, identity, call path and upstreams, wired to the
 * cluster.
 *
 * <p><b>Threads.</b> {@link #start}, {@link #beginDrain} and {@link #close} by the replica, in that
 * order.
 */
final class DataPlane {
    private final List<PooledUpstream> upstreams = new ArrayList<>();
    private final @Nullable KeysFile keysFile;
    private final DataListener listener;
    private final OpenCallRegistry registry;
    private final Sweeper sweeper;

    /** What the plane tells the metrics. */
    record Watchers(CallObserver calls, DoorRefusals refusals, DoorEvents door) {}

    DataPlane(
            ReplicaConfig config,
            Cluster cluster,
            SealKeys sealKeys,
            OpenCallRegistry registry,
            CallIds ids,
            Watchers watchers,
            Pollers pollers,
            LongSupplier ticker,
            InstantSource clock) {
        this.registry = registry;
        this.sweeper = new Sweeper(registry, cluster.view());
        Map<String, Target> targets = new LinkedHashMap<>();
        for (ServerConfig server : config.servers()) {
            PooledUpstream upstream = new PooledUpstream(pollers, server, ticker);
            upstreams.add(upstream);
            targets.put(server.name(), new Target(server, upstream));
        }
        keysFile = keysFile(config.identity());
        DecisionHeaders headers = new DecisionHeaders(config.replica());
        CallJournal journal = new ClusterJournal(cluster);
        CallPath path =
                new CallPath(
                        targets,
                        cluster.view(),
                        cluster,
                        journal,
                        new Forwarder(
                                cluster.view(),
                                registry,
                                cluster,
                                journal,
                                headers,
                                watchers.calls(),
                                config.control().streamGrace(),
                                ticker),
                        headers,
                        watchers.calls(),
                        ticker);
        Entrance entrance =
                new Entrance(
                        identification(config.identity(), cluster),
                        headers,
                        watchers.refusals(),
                        path,
                        ids,
                        ticker);
        Sessions sessions = new Sessions(sealKeys, new SecureRandom());
        McpDoor mcp = new McpDoor(config.servers(), entrance, sessions, config.limits().nesting());
        HttpDoor http = new HttpDoor(config.servers(), entrance);
        listener =
                new DataListener(
                        pollers,
                        config.listen(),
                        config.limits(),
                        false,
                        new Router(mcp, http, new Origins(config.origins()), entrance),
                        ticker,
                        clock,
                        watchers.door(),
                        (block, decision) -> headers.add(block, decision, ids.get()));
    }

    void start() {
        if (keysFile != null) {
            keysFile.start();
        }
        sweeper.start();
        listener.start();
    }

    int port() {
        return listener.port();
    }

    List<PooledUpstream> upstreams() {
        return upstreams;
    }

    /** Answers tell their clients to come back elsewhere. */
    void beginDrain() {
        listener.beginDrain();
    }

    /** No new connections; calls under way get {@code grace}, then are cut. */
    void close(Duration grace) {
        listener.close(grace);
        registry.cutAll("this replica is shutting down");
        sweeper.close();
        upstreams.forEach(PooledUpstream::close);
        if (keysFile != null) {
            keysFile.close();
        }
    }

    private static @Nullable KeysFile keysFile(IdentityConfig config) {
        return config.keysFile() == null ? null : new KeysFile(config.keysFile(), KeysFile.PERIOD);
    }

    private Identification identification(IdentityConfig config, Cluster cluster) {
        KeysFile file = keysFile;
        return switch (config.mode()) {
            case API_KEY ->
                    new ApiKeys(
                            () -> cluster.view().current().keys(),
                            file == null ? () -> KeyRing.EMPTY : file::keys);
            case OPEN -> new OpenHeaders();
        };
    }

    /** The cluster's journal as the call path sees it. */
    private record ClusterJournal(Cluster cluster) implements CallJournal {
        @Override
        public void outcome(Outcome outcome) {
            cluster.journal().outcome(outcome);
        }

        @Override
        public void refusal(RefusalEntry refusal) {
            cluster.journal().refusal(refusal);
        }
    }
}
