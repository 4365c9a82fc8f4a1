package io.penstock.gateway.mcp;

/**
 * Why a message that could be read is wrong by the protocol.
 *
 * @param code a JSON-RPC error code
 */
record RpcFault(int code, String reason) {}
