package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "test",
        description = "Builds everything and runs all tests. For a source tree.",
        footerHeading = "%nExamples:%n",
        footer = "  ./penstock test")
final class TestCommand implements Callable<Integer> {
    @Option(names = "--full", description = "Add what is repeated and broken on purpose.")
    boolean full;

    /** In a source tree the launcher does it, because there the program itself may not compile. */
    @Override
    public Integer call() {
        throw CommandFailure.failed(
                "there is nothing to test here: run ./penstock test in a source tree");
    }
}
