package io.penstock.gateway.mcp;

import io.penstock.budget.Subject;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.identity.Identity;
import io.penstock.gateway.mcp.Sessions.Owner;
import io.penstock.gateway.mcp.Sessions.Session;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request at the MCP door.
 *
 * @param server the name in the path, which may be nobody's
 * @param id of the call that it becomes, where it becomes one
 * @param arrivedNanos when it arrived; of a later message of a batch, when its turn came
 */
record Visit(
        InboundRequest request,
        Reply reply,
        Identity.Agent agent,
        String server,
        UUID id,
        McpHeaders headers,
        long arrivedNanos) {

    /** The same request for another message of its batch. */
    Visit next(UUID nextId, long nowNanos) {
        return new Visit(request, reply, agent, server, nextId, headers, nowNanos);
    }

    Subject subject(String tool, @Nullable Session session) {
        return new Subject(
                agent.tenant(),
                agent.agent(),
                server,
                tool,
                session == null ? null : session.name());
    }

    Owner owner() {
        return new Owner(agent.tenant(), agent.agent(), server);
    }
}
