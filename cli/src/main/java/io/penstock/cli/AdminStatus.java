package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Shows the cluster as one replica's admin API sees it. */
final class AdminStatus {
    private final Terminal terminal;

    AdminStatus(Terminal terminal) {
        this.terminal = terminal;
    }

    int show(JsonNode status, boolean json) {
        boolean degraded = degraded(status);
        if (json) {
            terminal.json(status);
            return degraded ? ExitCode.DEGRADED : ExitCode.DONE;
        }
        JsonNode own = status.path("answeredBy");
        terminal.line(
                "answered by replica %s: %s, epoch %d, revision %d, lease left %d ms"
                        .formatted(
                                own.path("replica").asText(),
                                own.path("admits").asBoolean()
                                        ? "admits"
                                        : "refuses (" + own.path("reason").asText() + ")",
                                own.path("epoch").asLong(),
                                own.path("revision").asLong(),
                                own.path("leaseLeftMs").asLong()));
        if (status.hasNonNull("unavailable")) {
            terminal.line(terminal.styled(Style.WARNING, status.path("unavailable").asText()));
        }
        if (status.path("replicas").isArray()) {
            terminal.line("");
            tables(status).print(terminal);
        }
        return degraded ? ExitCode.DEGRADED : ExitCode.DONE;
    }

    private static boolean degraded(JsonNode status) {
        boolean degraded =
                status.hasNonNull("unavailable")
                        || !status.path("answeredBy").path("admits").asBoolean();
        for (JsonNode replica : status.path("replicas")) {
            degraded |= replica.path("leaseLeftMs").asLong() <= 0;
            degraded |= replica.path("degraded").asBoolean();
        }
        return degraded;
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
