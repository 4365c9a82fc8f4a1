package io.penstock.cli;

import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.Keys;
import io.penstock.cluster.store.KeyStore;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands about agents' API keys. */
@Command(
        name = "keys",
        description = "Agents' API keys. The database keeps their digests only.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock keys new --agent acme/crawler",
            "  penstock keys list",
            "  penstock keys revoke k0123456789 --reason 'left the company'"
        })
final class KeyCommands implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;
    @Spec @Nullable CommandSpec spec;

    KeyCommands(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return ExitCode.USAGE;
    }

    private Keys keys(ConnectionOptions connection) {
        return new Keys(Operator.connector(connection, environment), System::nanoTime);
    }

    @Command(
            name = "new",
            description = "Makes a key and prints it, once: it cannot be read again.",
            footerHeading = "%nExamples:%n",
            footer = {
                "  penstock keys new --agent acme/crawler",
                "  KEY=$(penstock keys new --agent acme/crawler --json | jq -r .key)"
            })
    int make(
            @Option(
                            names = "--agent",
                            required = true,
                            paramLabel = "T/A",
                            description = "Whose: TENANT/AGENT, or the agent alone with --tenant.")
                    String agent,
            @Option(names = "--tenant", paramLabel = "T", description = "The agent's tenant.")
                    @Nullable String tenant,
            @Option(names = "--json", description = "Print JSON.") boolean json,
            @Mixin ConnectionOptions connection)
            throws Exception {
        AgentName name = AgentName.of(tenant, agent);
        KeyStore.NewKey key =
                KeyStore.NewKey.random(new SecureRandom(), name.tenant(), name.agent());
        long epoch = keys(connection).add(key, Operator.actor());
        if (json) {
            Map<String, Object> tree = new LinkedHashMap<>();
            tree.put("id", key.id());
            tree.put("key", key.key());
            tree.put("tenant", key.tenant());
            tree.put("agent", key.agent());
            tree.put("epoch", epoch);
            terminal.json(tree);
            return ExitCode.DONE;
        }
        terminal.note("key " + key.id() + " of " + name + "; it is shown this once:");
        terminal.line(key.key());
        return ExitCode.DONE;
    }

    @Command(
            name = "list",
            description = "Lists keys, revoked ones too.",
            footerHeading = "%nExamples:%n",
            footer = "  penstock keys list --json")
    int list(
            @Option(names = "--json", description = "Print JSON.") boolean json,
            @Mixin ConnectionOptions connection)
            throws Exception {
        List<KeyStore.Listed> keys = keys(connection).list();
        if (json) {
            terminal.json(keys.stream().map(KeyCommands::tree).toList());
            return ExitCode.DONE;
        }
        Table table = new Table("KEY", "AGENT", "STATE", "MADE", "BY");
        for (KeyStore.Listed key : keys) {
            var revoked = key.revokedAt();
            table.row(
                    key.id(),
                    key.tenant() + "/" + key.agent(),
                    revoked == null
                            ? Table.cell(Style.GOOD, "valid")
                            : Table.cell(Style.DIM, "revoked " + Moment.text(revoked)),
                    Moment.text(key.createdAt()),
                    key.createdBy());
        }
        table.print(terminal);
        return ExitCode.DONE;
    }

    private static Map<String, Object> tree(KeyStore.Listed key) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("id", key.id());
        tree.put("tenant", key.tenant());
        tree.put("agent", key.agent());
        tree.put("createdAt", key.createdAt().toString());
        tree.put("createdBy", key.createdBy());
        tree.put("revokedAt", key.revokedAt() == null ? null : String.valueOf(key.revokedAt()));
        tree.put("revokedBy", key.revokedBy());
        return tree;
    }

    @Command(
            name = "revoke",
            description = {
                "Revokes a key on every replica, and proves it as a stop does. Exit codes as for"
                        + " stop."
            },
            footerHeading = "%nExamples:%n",
            footer = "  penstock keys revoke k0123456789 --reason 'leaked'")
    int revoke(
            @Parameters(paramLabel = "ID", description = "As keys list shows it.") String id,
            @Option(
                            names = "--reason",
                            paramLabel = "R",
                            defaultValue = "revoked",
                            description = "Why, for the journal.")
                    String reason,
            @Mixin ConfirmationOptions confirmation) {
        OrderLines lines = new OrderLines(terminal, confirmation.json);
        return lines.conclude(
                keys(confirmation.connection)
                        .revoke(
                                new Keys.Revocation(id, reason, Operator.actor()),
                                confirmation.patience(),
                                lines));
    }
}
