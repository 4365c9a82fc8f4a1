package io.penstock.cli;

import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.ActiveBlock;
import java.time.Instant;
import java.util.List;

/** The tables of the cluster's state, the same wherever the state was read. */
final class StatusTables {
    private final Table replicas =
            new Table(
                    "REPLICA",
                    "STATE",
                    "AGENTS",
                    "ADMIN",
                    "VERSION",
                    "EPOCH",
                    "LEASE LEFT",
                    "CALLS/S",
                    "LEADS");
    private final Table stops = new Table("STOP", "SCOPE", "HOW", "GIVEN", "BY", "REASON");
    private final Table blocks = new Table("BLOCKED", "UNTIL", "GIVEN", "BY", "REASON");

    /** Where a replica is reached, and what it runs. */
    record Place(String agents, String admin, String version) {}

    /** How a replica stands. */
    record Standing(String state, long epoch, long leaseLeftMillis, long callsPerSecond) {}

    void replica(String name, Place place, Standing standing, List<String> leads) {
        Style style = standing.leaseLeftMillis() <= 0 ? Style.BAD : Style.PLAIN;
        replicas.row(
                name,
                Table.cell(standing.state().equals("open") ? Style.GOOD : style, standing.state()),
                place.agents(),
                place.admin(),
                place.version(),
                standing.epoch(),
                Table.cell(style, standing.leaseLeftMillis() + " ms"),
                standing.callsPerSecond(),
                String.join(", ", leads));
    }

    /** Who gave something, when and why. */
    record Given(Instant at, String actor, String reason) {}

    void stop(String id, String scope, boolean drain, Given given) {
        stops.row(
                id,
                Table.cell(Style.BAD, scope),
                drain ? "drain" : "cut",
                Moment.text(given.at()),
                given.actor(),
                given.reason());
    }

    void block(String agent, Instant until, Given given) {
        blocks.row(
                Table.cell(Style.BAD, agent),
                Moment.text(until),
                Moment.text(given.at()),
                given.actor(),
                given.reason());
    }

    void block(ActiveBlock block) {
        block(
                block.tenant() + "/" + block.agent(),
                block.expiresAt(),
                new Given(block.givenAt(), block.actor(), block.reason()));
    }

    void print(Terminal terminal) {
        replicas.print(terminal);
        for (Table table : List.of(stops, blocks)) {
            if (!table.isEmpty()) {
                terminal.line("");
                table.print(terminal);
            }
        }
    }

    void printBlocks(Terminal terminal) {
        blocks.print(terminal);
    }
}
