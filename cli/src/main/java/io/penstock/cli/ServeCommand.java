package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cli.up.ParentWatch;
import io.penstock.cluster.control.Clocks;
import io.penstock.gateway.Replica;
import io.penstock.gateway.ReplicaRefusedException;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.LogConfig;
import io.penstock.gateway.config.Problem;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.ReplicaConfig;
import io.penstock.gateway.logging.Logs;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "serve",
        description = {
            "Runs one replica in the foreground until SIGTERM or Ctrl-C; then drains, and ends"
                    + " with",
            "exit code 0. The options let replicas share one configuration file."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock serve --config penstock.yaml",
            "  penstock serve --config penstock.yaml --replica b --listen 0.0.0.0:8080 --share \\",
            "      --admin-listen 127.0.0.1:9091"
        })
final class ServeCommand implements Callable<Integer> {
    private static final long LOG_RESET_NANOS_MAX = 500_000_000;

    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The configuration (PENSTOCK_CONFIG).")
    @Nullable Path config;

    @Option(
            names = "--end-with-parent",
            hidden = true,
            description = "End when standard input ends.")
    boolean endWithParent;

    @Mixin ServeOptions options = new ServeOptions();

    ServeCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        ReplicaConfig replica = replicaConfig();
        Logs.start(replica.log());
        Clocks clocks = new Clocks(System::nanoTime, InstantSource.system(), UUID::randomUUID);
        Replica process = new Replica(replica, Version.text(), clocks);
        Thread hook = new Thread(() -> leave(process, replica.log()), "leave");
        Runtime.getRuntime().addShutdownHook(hook);
        if (endWithParent) {
            ParentWatch.exitWithParent();
        }
        try {
            process.start();
        } catch (RuntimeException e) {
            abandon(process, hook);
            throw e instanceof ReplicaRefusedException refused
                    ? new CommandFailure(
                            ExitCode.FAILED, String.valueOf(refused.getMessage()), refused)
                    : e;
        }
        // The hook ends the process.
        new CountDownLatch(1).await();
        return ExitCode.DONE;
    }

    private static void abandon(Replica process, Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Told to end meanwhile: the hook does it.
            return;
        }
        process.drain();
    }

    /** A wanted end is not a failure, so the process ends with 0 whatever the signal was. */
    private void leave(Replica process, LogConfig log) {
        keepLogging(log);
        process.drain();
        terminal.err().flush();
        Runtime.getRuntime().halt(ExitCode.DONE);
    }

    /**
     * The JDK takes log handlers away in a shutdown hook of its own, which runs beside ours, and a
     * drain would go unheard: wait for that, then set up anew.
     */
    private static void keepLogging(LogConfig log) {
        Logger root = Logger.getLogger("");
        long until = System.nanoTime() + LOG_RESET_NANOS_MAX;
        while (root.getHandlers().length > 0 && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        Logs.start(log);
    }

    private ReplicaConfig replicaConfig() {
        Path file = CheckCommand.configPath(config, environment);
        ReplicaConfig read =
                switch (ConfigFile.read(file, environment::get)) {
                    case Reading.Valid<ReplicaConfig> valid -> valid.value();
                    case Reading.Invalid<ReplicaConfig> invalid ->
                            throw CommandFailure.failed(
                                    "the configuration is not valid:\n"
                                            + invalid.problems().stream()
                                                    .map(Problem::toString)
                                                    .collect(Collectors.joining("\n")));
                };
        ReplicaConfig replica = options.over(read, environment);
        if (replica.database().embedded()) {
            throw CommandFailure.failed(
                    file
                            + ": database.url is embedded, which one process cannot share: give a"
                            + " JDBC URL, or run penstock up");
        }
        return replica;
    }
}
