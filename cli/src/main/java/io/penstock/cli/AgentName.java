package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import org.jspecify.annotations.Nullable;

/** An agent as it is named on the command line: {@code TENANT/AGENT}, split at the first slash. */
record AgentName(String tenant, String agent) {
    private static final int AGENT_BYTES_MAX = 256;

    AgentName {
        if (!tenant.matches("[A-Za-z0-9._-]{1,128}")) {
            throw CommandFailure.usage(
                    "a tenant's name is 1 to 128 of letters, digits, . _ -, not " + tenant);
        }
        int bytes = agent.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        if (bytes == 0
                || bytes > AGENT_BYTES_MAX
                || agent.chars().anyMatch(Character::isISOControl)) {
            throw CommandFailure.usage("an agent's name is printable text of 1 to 256 bytes");
        }
    }

    static AgentName parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 1 || slash == text.length() - 1) {
            throw CommandFailure.usage("an agent is written TENANT/AGENT, not " + text);
        }
        return new AgentName(text.substring(0, slash), text.substring(slash + 1));
    }

    /** From {@code --tenant T --agent A} or {@code --agent T/A}. */
    static AgentName of(@Nullable String tenant, String agent) {
        return tenant == null ? parse(agent) : new AgentName(tenant, agent);
    }

    @Override
    public String toString() {
        return tenant + "/" + agent;
    }
}
