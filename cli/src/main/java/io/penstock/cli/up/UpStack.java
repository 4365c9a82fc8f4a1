package io.penstock.cli.up;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.schema.Logins;
import io.penstock.cluster.schema.Migrations;
import io.penstock.gateway.config.DatabaseSection.Login;
import io.penstock.gateway.config.ListenConfig;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Everything that {@code penstock up} runs: Postgres, the demo server, the replicas.
 *
 * <p><b>Guarantee.</b> Nothing of it outlives this process: {@link #close} ends all in order, and
 * after a kill each part notices that its parent is gone.
 *
 * <p><b>Threads.</b> Started by one; {@link #close} by any, also while it is starting. The lock
 * guards {@code closing} and {@code children}, and is not held while anything is waited for.
 */
public final class UpStack implements AutoCloseable {
    private static final long READY_MILLIS_MAX = 60_000;
    private static final long END_MILLIS_MAX = 45_000;
    private static final long STEADY_MILLIS = 10_000;
    private static final long RESTART_MILLIS_MAX = 15_000;

    private final UpPlan plan;
    private final Terminal terminal;
    private final WorkFolder work;
    private final PortChoice ports = new PortChoice();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Object lock = new Object();
    private final List<Child> children = new ArrayList<>();
    private boolean closing;
    private volatile @Nullable EmbeddedPostgres postgres;

    private UpStack(UpPlan plan, Terminal terminal, WorkFolder work) {
        this.plan = plan;
        this.terminal = terminal;
        this.work = work;
    }

    /** Nothing runs yet. */
    public static UpStack prepare(UpPlan plan, Terminal terminal, Path folder) {
        return new UpStack(
                plan, terminal, WorkFolder.create(folder, ProcessHandle.current().pid()));
    }

    /** Starts all and returns when every replica admits calls. */
    public UpAddresses start() throws Exception {
        int port = agentsPort();
        Child demo = plan.own() == null ? startDemoServer() : null;
        Access access = plan.embedded() ? startPostgres() : null;
        List<UpAddresses.Replica> replicas = new ArrayList<>();
        DemoFiles files = demo == null ? null : DemoFiles.write(work, demoPort);
        Path config = files == null ? ownFile() : files.config();
        EmbeddedPostgres server = postgres;
        if (server != null) {
            KeptRules.settle(config, server.owner(), terminal);
        }
        for (int number = 0; number < plan.replicas(); number++) {
            replicas.add(startReplica(number, port, config, access));
        }
        awaitReady(replicas);
        return new UpAddresses(
                scheme(agentsListen()) + "://" + shownHost() + ":" + port,
                replicas,
                access == null ? null : access.operator(),
                demo == null ? null : "http://127.0.0.1:" + demoPort + "/mcp",
                files == null ? null : files.key(),
                work.path());
    }

    private int demoPort;

    private int agentsPort() {
        ListenConfig listen = agentsListen();
        String host = listen == null ? "0.0.0.0" : listen.host();
        int port = ports.from(host, plan.port());
        if (port != plan.port()) {
            terminal.note("port " + plan.port() + " is taken: using " + port);
        }
        if (PortChoice.sharing()) {
            ports.hold(host, port);
        }
        return port;
    }

    private @Nullable ListenConfig agentsListen() {
        UpPlan.Own own = plan.own();
        return own == null ? null : own.config().listen();
    }

    private Path ownFile() {
        UpPlan.Own own = plan.own();
        if (own == null) {
            throw new IllegalStateException("there is no configuration of the user's");
        }
        return own.file();
    }

    private String shownHost() {
        ListenConfig listen = agentsListen();
        if (listen == null || listen.host().equals("0.0.0.0") || listen.host().equals("::")) {
            return "127.0.0.1";
        }
        return bracketed(listen.host());
    }

    private static String scheme(@Nullable ListenConfig listen) {
        return listen == null || listen.tls() == null ? "http" : "https";
    }

    private Child startDemoServer() {
        demoPort = ports.any();
        return run(
                "demo server",
                Launch.command("demo-server", "--port", Integer.toString(demoPort)),
                "demo-server.log",
                null);
    }

    /**
     * The ways into our own Postgres.
     *
     * @param passwordFile the gateway's password, for its process alone
     */
    private record Access(DatabaseConfig gateway, Path passwordFile, DatabaseConfig operator) {}

    private Access startPostgres() throws Exception {
        Path data = plan.data();
        EmbeddedPostgres server =
                EmbeddedPostgres.start(
                        data == null
                                ? EmbeddedOptions.temporary()
                                : EmbeddedOptions.in(data.resolve("postgres")));
        postgres = server;
        DatabaseConfig owner = server.owner();
        Migrations.migrate(owner);
        DatabaseConfig gateway =
                Logins.ensure(owner, "up_gateway", password(), Logins.Group.GATEWAY);
        DatabaseConfig operator =
                Logins.ensure(owner, "up_operator", password(), Logins.Group.OPERATOR);
        Path file = work.write("gateway-password", gateway.password() + "\n");
        return new Access(gateway, file, operator);
    }

    private static String password() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private UpAddresses.Replica startReplica(
            int number, int sharedPort, Path config, @Nullable Access access) {
        String name = String.valueOf((char) ('a' + number));
        ListenConfig listen = agentsListen();
        String host = listen == null ? "0.0.0.0" : listen.host();
        boolean share = PortChoice.sharing();
        int port = share || number == 0 ? sharedPort : ports.from(host, sharedPort + number);
        UpPlan.Own mine = plan.own();
        ListenConfig own = mine == null ? null : mine.config().admin().listen();
        String adminHost = own == null ? "127.0.0.1" : own.host();
        int adminPort = ports.from(adminHost, own == null ? 9090 : own.port());
        List<String> arguments = new ArrayList<>(List.of("serve", "--config", config.toString()));
        arguments.addAll(List.of("--replica", name, "--listen", bracketed(host) + ":" + port));
        arguments.addAll(List.of("--admin-listen", bracketed(adminHost) + ":" + adminPort));
        arguments.add("--end-with-parent");
        if (share) {
            arguments.add("--share");
        }
        if (access != null) {
            arguments.addAll(List.of("--database", access.gateway().url()));
            arguments.addAll(List.of("--user", access.gateway().user()));
            arguments.addAll(List.of("--password-file", access.passwordFile().toString()));
        }
        Child child =
                run(
                        "replica " + name,
                        Launch.command(arguments.toArray(String[]::new)),
                        "replica-" + name + ".log",
                        plan.newCache());
        String loopback = adminHost.equals("0.0.0.0") ? "127.0.0.1" : bracketed(adminHost);
        return new UpAddresses.Replica(
                name, child, port, scheme(own) + "://" + loopback + ":" + adminPort);
    }

    private static String bracketed(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private Child run(String name, List<String> command, String log, @Nullable Path newCache) {
        synchronized (lock) {
            if (closing) {
                throw CommandFailure.failed("stopped while starting");
            }
            Child child =
                    Child.start(
                            name,
                            command,
                            Launch.environment(plan.replicas(), newCache),
                            work.file(log));
            children.add(child);
            Thread.ofVirtual().name("watch-" + name).start(() -> watch(child));
            return child;
        }
    }

    /** Says when a child ends, and starts it again: at once if it had run for a while. */
    private void watch(Child child) {
        long pause = 500;
        try {
            while (true) {
                long began = System.nanoTime();
                int code = child.await();
                if (closing()) {
                    return;
                }
                boolean steady = System.nanoTime() - began > STEADY_MILLIS * 1_000_000;
                pause = steady ? 500 : Math.min(RESTART_MILLIS_MAX, pause * 2);
                terminal.note(
                        "%s ended with exit code %d; starting it again in %.1f s. Its last lines:"
                                .formatted(child.name(), code, pause / 1000.0));
                child.lastLines().forEach(line -> terminal.note("  " + line));
                Thread.sleep(pause);
                synchronized (lock) {
                    if (closing) {
                        return;
                    }
                    child.restart();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitReady(List<UpAddresses.Replica> replicas) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS_MAX);
        for (UpAddresses.Replica replica : replicas) {
            while (true) {
                Probe.Health health = Probe.ask(replica.adminUrl());
                if (health.admits()) {
                    terminal.note("replica " + replica.name() + " is ready");
                    break;
                }
                if (closing()) {
                    throw CommandFailure.failed("stopped while starting");
                }
                if (System.nanoTime() - deadline > 0) {
                    throw CommandFailure.failed(notReady(replica, health));
                }
                Thread.sleep(20);
            }
        }
    }

    private static String notReady(UpAddresses.Replica replica, Probe.Health health) {
        return "replica %s does not admit calls after %d s: %s%nIts last lines:%n  %s"
                .formatted(
                        replica.name(),
                        READY_MILLIS_MAX / 1000,
                        health.says(),
                        String.join("\n  ", replica.child().lastLines()));
    }

    /** The credential for other terminals: ours, or the operator's of the user's configuration. */
    public @Nullable Login ownOperator() {
        UpPlan.Own own = plan.own();
        return own == null ? null : own.config().database().operator();
    }

    /**
     * Waits until it is closed, or until Postgres dies, without which nothing goes on.
     *
     * @return whether it was closed
     */
    public boolean await() throws InterruptedException {
        EmbeddedPostgres server = postgres;
        long pid = server == null ? 0 : server.pid();
        while (!ended.await(1, TimeUnit.SECONDS)) {
            boolean gone =
                    server != null
                            && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty();
            if (gone && !closing()) {
                terminal.note("Postgres ended: stopping everything");
                return false;
            }
        }
        return true;
    }

    private boolean closing() {
        synchronized (lock) {
            return closing;
        }
    }

    /** Ends the replicas, which finish their calls first, then the rest. Idempotent. */
    @Override
    public void close() {
        List<Child> all;
        synchronized (lock) {
            if (closing) {
                return;
            }
            closing = true;
            all = List.copyOf(children);
        }
        List<Child> replicas =
                all.stream().filter(child -> child.name().startsWith("rep")).toList();
        replicas.forEach(Child::end);
        replicas.forEach(child -> child.awaitEnd(END_MILLIS_MAX));
        all.forEach(Child::end);
        all.forEach(child -> child.awaitEnd(5_000));
        EmbeddedPostgres server = postgres;
        if (server != null) {
            server.close();
        }
        ports.close();
        work.close();
        ended.countDown();
    }
}
