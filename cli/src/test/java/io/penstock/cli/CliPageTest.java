package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The reference page is made from the commands' own help. After a change: {@code ./mvnw -pl cli -am
 * test -Dtest=CliPageTest -Dpenstock.golden=write -Dsurefire.failIfNoSpecifiedTests=false}.
 */
final class CliPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "cli.md");

    private static final String INTRODUCTION =
            """
            # Commands

            In a source tree `./penstock` builds what is missing or stale, then runs; in a distribution the same command
            runs the packaged jars. It needs a JDK 25: in `JAVA_HOME`, on the `PATH`, or in the usual folders.

            **Which cluster.** Commands that look at the cluster or change it connect to its Postgres with an operator's
            login. The first of these counts: `--database`, `--config` (its `database` part, and there the `operator`
            part before the gateway's own login), `PENSTOCK_DATABASE_URL`, `PENSTOCK_CONFIG`, a `penstock up` that runs
            on this machine. The password comes from `--password-file`, `PGPASSWORD`, or that configuration. `stop` and
            `status` also go through one replica's admin API: `--admin URL --token-file FILE`.

            **Exit codes.** 0 done. 1 failed; also: `check` or `doctor` found an error. 2 wrong usage. 3 recorded, not
            confirmed by every replica in time. 4 degraded (`status`; `doctor` with warnings only).

            **Environment.** `NO_COLOR` turns colours off. `PENSTOCK_DEBUG=1` shows stack traces. `PENSTOCK_JAVA_OPTS`
            adds JVM options. `PENSTOCK_BUILD=never` runs what is built already; `PENSTOCK_CACHE=never` neither makes nor
            uses the start-up cache, which the first build makes and `./penstock prepare` makes anew: with it a replica is
            ready in half the time, and after a later build it is void, never wrong. `PENSTOCK_RUNTIME_DIR` is where a
            running `up` leaves its connection file, readable by its user only (otherwise `XDG_RUNTIME_DIR/penstock` or
            `~/.cache/penstock`).
            """;

    @Test
    void page_andHelp_sayTheSame() throws IOException {
        StringBuilder page = new StringBuilder(INTRODUCTION);
        CommandLine root = commands();
        root.getSubcommands().forEach((name, command) -> describe(page, name, command));
        if ("write".equals(System.getProperty("penstock.golden"))) {
            Files.writeString(PAGE, page);
        }

        assertThat(PAGE).hasContent(page.toString());
    }

    @Test
    void help_everyCommand_hasExamples() {
        commands()
                .getSubcommands()
                .values()
                .forEach(
                        command -> {
                            if (!command.getCommandSpec().usageMessage().hidden()
                                    && command.getSubcommands().isEmpty()) {
                                assertThat(command.getUsageMessage()).contains("Examples:");
                            }
                        });
    }

    private static CommandLine commands() {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        return Main.commandLine(Map.of(), new Terminal(nowhere, nowhere, false));
    }

    private static void describe(StringBuilder page, String name, CommandLine command) {
        if (command.getCommandSpec().usageMessage().hidden()) {
            return;
        }
        page.append("\n## ").append(name).append("\n\n```\n");
        page.append(command.getUsageMessage().strip()).append("\n```\n");
        command.getSubcommands()
                .forEach((below, child) -> describe(page, name + " " + below, child));
    }
}
