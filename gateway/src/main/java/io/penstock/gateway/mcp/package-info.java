/** The MCP door: JSON-RPC read once and strictly, both eras of the protocol, sealed sessions. */
@NullMarked
package io.penstock.gateway.mcp;

import org.jspecify.annotations.NullMarked;
