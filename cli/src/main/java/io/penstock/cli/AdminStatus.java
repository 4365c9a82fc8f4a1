package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;

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
        replicas(status.path("replicas"));
        stops(status.path("stops"));
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

    private void replicas(JsonNode replicas) {
        if (replicas.isEmpty()) {
            return;
        }
        Table table =
                new Table("REPLICA", "STATE", "AGENTS", "ADMIN", "VERSION", "EPOCH", "LEASE LEFT");
        for (JsonNode replica : replicas) {
            table.row(
                    replica.path("replica").asText(),
                    replica.path("state").asText(),
                    replica.path("dataAddress").asText(),
                    replica.path("adminAddress").asText(),
                    replica.path("version").asText(),
                    replica.path("epoch").asLong(),
                    replica.path("leaseLeftMs").asLong() + " ms");
        }
        terminal.line("");
        table.print(terminal);
    }

    private void stops(JsonNode stops) {
        if (stops.isEmpty()) {
            return;
        }
        Table table = new Table("STOP", "SCOPE", "BY", "REASON");
        for (JsonNode stop : stops) {
            table.row(
                    stop.path("id").asText(),
                    (stop.path("kind").asText() + " " + text(stop.path("value"))).strip(),
                    stop.path("actor").asText(),
                    stop.path("reason").asText());
        }
        terminal.line("");
        table.print(terminal);
    }

    private static String text(JsonNode node) {
        return node.isNull() ? "" : node.asText();
    }
}
