package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cluster.operator.Patience;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every command has that changes the cluster and waits until all replicas judge by it. */
final class ConfirmationOptions {
    @Option(
            names = "--wait",
            defaultValue = "10s",
            converter = DurationConverter.class,
            paramLabel = "DURATION",
            description = "How long to wait for the confirmation (${DEFAULT-VALUE}).")
    Duration atMost = Duration.ZERO;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    Patience patience() {
        return patience(false);
    }

    /**
     * @param untilRecorded goes on while the database is away
     */
    Patience patience(boolean untilRecorded) {
        try {
            return new Patience(atMost, untilRecorded);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
