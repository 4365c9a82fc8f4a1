package io.penstock.budget;

import org.jspecify.annotations.Nullable;

/**
 * Who calls what: the values of a call's dimensions.
 *
 * @param tenant whom the agent belongs to
 * @param agent who calls, unique within the tenant
 * @param server what is called
 * @param tool the tool on the server
 * @param session the gateway's own session, or null where the call has none
 */
public record Subject(
        String tenant, String agent, String server, String tool, @Nullable String session) {}
