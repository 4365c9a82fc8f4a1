package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cluster.control.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which calls are meant. Several options: any of them matches. */
final class ScopeOptions {
    @Option(names = "--all", description = "Every call.")
    boolean all;

    @Option(names = "--tenant", paramLabel = "T", description = "Calls of a tenant's agents.")
    @Nullable List<String> tenants;

    @Option(names = "--agent", paramLabel = "T/A", description = "Calls of one agent.")
    @Nullable List<String> agents;

    @Option(names = "--server", paramLabel = "S", description = "Calls to a server.")
    @Nullable List<String> servers;

    @Option(names = "--tool", paramLabel = "S/T", description = "Calls to one tool of a server.")
    @Nullable List<String> tools;

    List<Scope> scopes() {
        List<Scope> scopes = new ArrayList<>();
        try {
            if (all) {
                scopes.add(Scope.parse("all", null));
            }
            add(scopes, "tenant", tenants);
            add(scopes, "agent", agents);
            add(scopes, "server", servers);
            add(scopes, "tool", tools);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(2, String.valueOf(e.getMessage()), e);
        }
        if (scopes.isEmpty()) {
            throw CommandFailure.usage(
                    "what? Give --all, --tenant T, --agent T/A, --server S or --tool S/T");
        }
        return scopes;
    }

    private static void add(List<Scope> scopes, String kind, @Nullable List<String> values) {
        if (values != null) {
            values.forEach(value -> scopes.add(Scope.parse(kind, value)));
        }
    }
}
