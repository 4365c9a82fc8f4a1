package io.penstock.gateway.mcp;

import io.penstock.gateway.mcp.Sessions.Session;
import org.jspecify.annotations.Nullable;

/**
 * What a request that is in order comes in with.
 *
 * @param session null where the request names none, or its revision has none
 */
record Entry(Endpoint endpoint, Revision revision, @Nullable Session session) {}
