package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.ActiveBlock;
import io.penstock.cluster.operator.Blocks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about blocked agents. */
final class BlockCommands {
    private BlockCommands() {}

    @Command(
            name = "block",
            description = "Blocks an agent for a while, on every replica.",
            footerHeading = "%nExamples:%n",
            footer = {
                "  penstock block acme/crawler --for 10m --reason 'loops'",
                "%nA block that lasts longer already is not shortened. Replicas judge by it within",
                "the lease."
            })
    static final class Block implements Callable<Integer> {
        private static final Duration LONGEST = Duration.ofDays(3650);

        private final Terminal terminal;
        private final Map<String, String> environment;

        @Parameters(paramLabel = "TENANT/AGENT", description = "Whom.")
        String agent = "";

        @Option(
                names = "--for",
                required = true,
                converter = DurationConverter.class,
                paramLabel = "DURATION",
                description = "How long.")
        Duration length = Duration.ZERO;

        @Option(names = "--reason", required = true, paramLabel = "R", description = "Why.")
        String reason = "";

        @Mixin ConnectionOptions connection = new ConnectionOptions();

        Block(Terminal terminal, Map<String, String> environment) {
            this.terminal = terminal;
            this.environment = environment;
        }

        @Override
        public Integer call() throws Exception {
            if (length.compareTo(Duration.ofSeconds(1)) < 0 || length.compareTo(LONGEST) > 0) {
                throw CommandFailure.usage("--for must be 1s to 3650d");
            }
            AgentName name = AgentName.parse(agent);
            Instant until =
                    new Blocks(Operator.connector(connection, environment))
                            .block(
                                    new Blocks.Agent(name.tenant(), name.agent()),
                                    length,
                                    new Blocks.Order(reason, Operator.actor()));
            terminal.line("blocked " + name + " until " + Moment.text(until));
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "unblock",
            description = "Ends an agent's block before its time.",
            footerHeading = "%nExamples:%n",
            footer = "  penstock unblock acme/crawler --reason 'fixed'")
    static final class Unblock implements Callable<Integer> {
        private final Terminal terminal;
        private final Map<String, String> environment;

        @Parameters(paramLabel = "TENANT/AGENT", description = "Whom.")
        String agent = "";

        @Option(names = "--reason", required = true, paramLabel = "R", description = "Why.")
        String reason = "";

        @Mixin ConnectionOptions connection = new ConnectionOptions();

        Unblock(Terminal terminal, Map<String, String> environment) {
            this.terminal = terminal;
            this.environment = environment;
        }

        @Override
        public Integer call() throws Exception {
            AgentName name = AgentName.parse(agent);
            boolean ended =
                    new Blocks(Operator.connector(connection, environment))
                            .unblock(
                                    new Blocks.Agent(name.tenant(), name.agent()),
                                    new Blocks.Order(reason, Operator.actor()));
            terminal.line(ended ? "unblocked " + name : name + " was not blocked");
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "blocks",
            description = "Lists the agents that are blocked now.",
            footerHeading = "%nExamples:%n",
            footer = "  penstock blocks --json")
    static final class Listing implements Callable<Integer> {
        private final Terminal terminal;
        private final Map<String, String> environment;

        @Option(names = "--json", description = "Print JSON.")
        boolean json;

        @Mixin ConnectionOptions connection = new ConnectionOptions();

        Listing(Terminal terminal, Map<String, String> environment) {
            this.terminal = terminal;
            this.environment = environment;
        }

        @Override
        public Integer call() throws Exception {
            List<ActiveBlock> blocks =
                    new Blocks(Operator.connector(connection, environment)).list();
            if (json) {
                terminal.json(blocks.stream().map(StatusCommand::tree).toList());
            } else if (blocks.isEmpty()) {
                terminal.line("no agent is blocked");
            } else {
                StatusCommand.blocks(blocks).print(terminal);
            }
            return ExitCode.DONE;
        }
    }
}
