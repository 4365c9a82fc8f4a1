package io.penstock.cli;

import io.penstock.cli.demo.Overload;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cli.up.RunningUp;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Things to try on a running gateway. */
@Command(name = "try", description = "Small experiments on a running gateway.")
final class TryCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;
    @Spec @Nullable CommandSpec spec;

    TryCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return ExitCode.USAGE;
    }

    @Command(
            name = "overload",
            description = {
                "Sends more calls than a budget allows, over many connections, within one window,",
                "and shows what each replica did with them: together they admit exactly the limit."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  penstock try overload                      on the penstock up that runs here",
                "  penstock try overload --url http://gate:8080/mcp/files --key \"$KEY\"",
                "%nExit code 0: exactly the limit was admitted. 1: not."
            })
    int overload(
            @Option(
                            names = "--url",
                            paramLabel = "URL",
                            description = "The MCP endpoint; its server must have a tool `echo`.")
                    @Nullable URI url,
            @Option(names = "--key", paramLabel = "KEY", description = "The agent's API key.")
                    @Nullable String key,
            @Option(
                            names = "--connections",
                            defaultValue = "32",
                            description = "Connections open at once (${DEFAULT-VALUE}).")
                    int connections,
            @Option(
                            names = "--times",
                            defaultValue = "3",
                            description =
                                    "How many times the limit is asked for (${DEFAULT-VALUE}).")
                    int times,
            @Option(names = "--json", description = "Print JSON.") boolean json)
            throws IOException, InterruptedException {
        if (connections < 1 || connections > 1_000 || times < 1 || times > 1_000) {
            throw CommandFailure.usage("--connections and --times must be 1 to 1000");
        }
        URI target = url;
        String credential = key;
        if (target == null || credential == null) {
            RunningUp up = running();
            target = target == null ? URI.create(up.url() + "/mcp/" + up.server()) : target;
            credential = credential == null ? up.key() : credential;
        }
        Overload.Report report =
                new Overload(target, credential, connections).run(times, terminal::note);
        if (json) {
            terminal.json(tree(report));
        } else {
            print(report);
        }
        return report.exact() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private RunningUp running() {
        Optional<RunningUp> up = RunningUp.find(RunningUp.folder(environment));
        return up.orElseThrow(
                () ->
                        CommandFailure.usage(
                                "no penstock up runs here: start one, or give --url and --key"));
    }

    private void print(Overload.Report report) {
        Table table = new Table("REPLICA", "CALLS", "ADMITTED", "REFUSED", "FAILED");
        report.shares()
                .forEach(
                        (replica, share) ->
                                table.row(
                                        replica,
                                        share.calls(),
                                        share.admitted(),
                                        share.refused(),
                                        share.failed()));
        int calls = report.calls();
        int refused = report.shares().values().stream().mapToInt(Overload.Share::refused).sum();
        table.row("total", calls, report.admitted(), refused, calls - report.admitted() - refused);
        table.print(terminal);
        terminal.line("");
        String verdict =
                "budget %s: limit %d per %d s; %d calls in %.2f s; admitted %s%d"
                        .formatted(
                                report.budget(),
                                report.limit(),
                                report.window(),
                                calls,
                                report.elapsedMillis() / 1000.0,
                                report.exact() ? "exactly " : "",
                                report.admitted());
        terminal.line(terminal.styled(report.exact() ? Style.GOOD : Style.BAD, verdict));
        if (!report.exact()) {
            terminal.line("not admitted: " + report.codes());
        }
    }

    private static Map<String, Object> tree(Overload.Report report) {
        Map<String, Object> replicas = new LinkedHashMap<>();
        report.shares()
                .forEach(
                        (replica, share) ->
                                replicas.put(
                                        replica,
                                        Map.of(
                                                "calls", share.calls(),
                                                "admitted", share.admitted(),
                                                "refused", share.refused(),
                                                "failed", share.failed())));
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("budget", report.budget());
        tree.put("limit", report.limit());
        tree.put("windowSeconds", report.window());
        tree.put("calls", report.calls());
        tree.put("admitted", report.admitted());
        tree.put("exact", report.exact());
        tree.put("elapsedMillis", report.elapsedMillis());
        tree.put("refusals", report.codes());
        tree.put("replicas", replicas);
        return tree;
    }
}
