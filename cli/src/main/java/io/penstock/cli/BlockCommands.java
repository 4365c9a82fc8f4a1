package io.penstock.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.ActiveBlock;
import io.penstock.cluster.operator.Blocks;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about blocked agents. */
final class BlockCommands {
    private BlockCommands() {}

    /** Whom an order is about, why, and in which cluster. */
    static final class Whom {
        @Parameters(paramLabel = "TENANT/AGENT", description = "Whom.")
        String agent = "";

        @Option(names = "--reason", required = true, paramLabel = "R", description = "Why.")
        String reason = "";

        @Mixin ConnectionOptions connection = new ConnectionOptions();

        AgentName name() {
            return AgentName.parse(agent);
        }

        Blocks blocks(Map<String, String> environment) {
            return new Blocks(Operator.connector(connection, environment));
        }

        Blocks.Order order() {
            return new Blocks.Order(reason, Operator.actor());
        }
    }

    @Command(
            name = "block",
            description = "Blocks an agent for a while, on every replica.",
            footerHeading = "%nExamples:%n",
            footer = {
                "  penstock block acme/crawler --for 10m --reason 'loops'",
                "  penstock block acme/crawler --for 10m --reason 'loops' \\",
                "      --admin http://127.0.0.1:9090 --token-file operate.token",
                "%nA block that lasts longer already is not shortened. Replicas judge by it within",
                "the lease."
            })
    static final class Block implements Callable<Integer> {
        private static final Duration LONGEST = Duration.ofDays(3650);

        private final Terminal terminal;
        private final Map<String, String> environment;

        @Mixin Whom whom = new Whom();

        @Option(
                names = "--for",
                required = true,
                converter = DurationConverter.class,
                paramLabel = "DURATION",
                description = "How long.")
        Duration length = Duration.ZERO;

        @Mixin AdminOptions admin = new AdminOptions();

        Block(Terminal terminal, Map<String, String> environment) {
            this.terminal = terminal;
            this.environment = environment;
        }

        @Override
        public Integer call() throws Exception {
            if (length.compareTo(Duration.ofSeconds(1)) < 0 || length.compareTo(LONGEST) > 0) {
                throw CommandFailure.usage("--for must be 1s to 3650d");
            }
            AgentName name = whom.name();
            Optional<AdminClient> replica = admin.client();
            Instant until;
            if (replica.isPresent()) {
                try (AdminClient client = replica.get()) {
                    until = throughReplica(client, name);
                }
            } else {
                until =
                        whom.blocks(environment)
                                .block(
                                        new Blocks.Agent(name.tenant(), name.agent()),
                                        length,
                                        whom.order());
            }
            terminal.line("blocked " + name + " until " + Moment.text(until));
            return ExitCode.DONE;
        }

        private Instant throughReplica(AdminClient client, AgentName name)
                throws IOException, InterruptedException {
            var body = new ObjectMapper().createObjectNode();
            body.put("tenant", name.tenant());
            body.put("agent", name.agent());
            body.put("seconds", length.plusMillis(999).toSeconds());
            body.put("reason", whom.reason);
            String end = client.post("/v1/blocks", body).path("expiresAt").asText();
            try {
                return Instant.parse(end);
            } catch (DateTimeParseException e) {
                throw CommandFailure.failed("the replica does not say when the block ends");
            }
        }
    }

    @Command(
            name = "unblock",
            description = {
                "Ends an agent's block before its time. Needs the operator's credential for the",
                "database, as resume does."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  penstock unblock acme/crawler --reason 'fixed'",
                "%nExit code 0: ended. 1: that agent was not blocked."
            })
    static final class Unblock implements Callable<Integer> {
        private final Terminal terminal;
        private final Map<String, String> environment;

        @Mixin Whom whom = new Whom();
        @Mixin NoAdminOptions never = new NoAdminOptions();

        Unblock(Terminal terminal, Map<String, String> environment) {
            this.terminal = terminal;
            this.environment = environment;
        }

        @Override
        public Integer call() throws Exception {
            never.check("ending a block");
            AgentName name = whom.name();
            boolean ended =
                    whom.blocks(environment)
                            .unblock(new Blocks.Agent(name.tenant(), name.agent()), whom.order());
            if (!ended) {
                throw CommandFailure.failed(name + " is not blocked: see penstock blocks");
            }
            terminal.line("unblocked " + name);
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
                StatusTables tables = new StatusTables();
                blocks.forEach(tables::block);
                tables.printBlocks(terminal);
            }
            return ExitCode.DONE;
        }
    }
}
