package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

/** Shows the cluster as one replica's admin API sees it. */
final class AdminStatus {
    private final Terminal terminal;

    AdminStatus(Terminal terminal) {
        this.terminal = terminal;
    }

    int show(JsonNode status, boolean json) {
        List<String> findings = findings(status);
        if (json) {
            terminal.json(status);
        } else {
            print(status, findings);
        }
        return findings.isEmpty() ? ExitCode.DONE : ExitCode.DEGRADED;
    }

    private void print(JsonNode status, List<String> findings) {
        JsonNode own = status.path("answeredBy");
        terminal.line(
                "answered by replica %s: %s, epoch %d, revision %d, lease left %d ms"
                        .formatted(
                                own.path("replica").asText(),
                                own.path("admits").asBoolean() ? "admits" : "refuses",
                                own.path("epoch").asLong(),
                                own.path("revision").asLong(),
                                own.path("leaseLeftMs").asLong()));
        if (status.path("replicas").isArray()) {
            terminal.line("");
            tables(status).print(terminal);
        }
        terminal.line("");
        findings.forEach(each -> terminal.line(terminal.styled(Style.WARNING, each)));
        if (findings.isEmpty()) {
            terminal.line(terminal.styled(Style.GOOD, "all well"));
        }
    }

    private static List<String> findings(JsonNode status) {
        List<String> findings = new ArrayList<>();
        if (status.hasNonNull("unavailable")) {
            findings.add(status.path("unavailable").asText());
        }
        JsonNode own = status.path("answeredBy");
        if (!own.path("admits").asBoolean()) {
            findings.add(
                    "replica "
                            + own.path("replica").asText()
                            + " refuses: "
                            + own.path("reason").asText());
        }
        for (JsonNode replica : status.path("replicas")) {
            String name = "replica " + replica.path("replica").asText() + ": ";
            if (replica.path("state").asText().equals("gone")) {
                findings.add(name + "gone, and no other of its name came");
            } else if (replica.path("leaseLeftMs").asLong() <= 0) {
                findings.add(name + "its lease is over");
            } else if (replica.path("degraded").asBoolean()) {
                findings.add(name + "NOTIFY does not reach it, it polls: stops take longer");
            }
        }
        return findings;
    }

    private static StatusTables tables(JsonNode status) {
        StatusTables tables = new StatusTables();
        for (JsonNode replica : status.path("replicas")) {
            tables.replica(
                    replica.path("replica").asText(),
                    new StatusTables.Place(
                            replica.path("dataAddress").asText(),
                            replica.path("adminAddress").asText(),
                            replica.path("version").asText()),
                    new StatusTables.Standing(
                            replica.path("state").asText(),
                            replica.path("epoch").asLong(),
                            replica.path("leaseLeftMs").asLong(),
                            replica.path("callsPerSecond").asLong()),
                    replica.path("leads").valueStream().map(JsonNode::asText).toList());
        }
        for (JsonNode stop : status.path("stops")) {
            tables.stop(
                    stop.path("id").asText(),
                    (stop.path("kind").asText() + " " + text(stop.path("value"))).strip(),
                    stop.path("drain").asBoolean(),
                    given(stop));
        }
        for (JsonNode block : status.path("blocks")) {
            tables.block(
                    block.path("tenant").asText() + "/" + block.path("agent").asText(),
                    moment(block.path("expiresAt")),
                    given(block));
        }
        return tables;
    }

    private static String text(JsonNode node) {
        return node.isNull() ? "" : node.asText();
    }

    private static StatusTables.Given given(JsonNode order) {
        return new StatusTables.Given(
                moment(order.path("givenAt")),
                order.path("actor").asText(),
                order.path("reason").asText());
    }

    private static Instant moment(JsonNode text) {
        try {
            return Instant.parse(text.asText());
        } catch (DateTimeParseException e) {
            throw new CommandFailure(
                    ExitCode.FAILED, "the replica tells a time that is none: " + text, e);
        }
    }
}
