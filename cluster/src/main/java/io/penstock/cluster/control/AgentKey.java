package io.penstock.cluster.control;

/**
 * One agent's API key, as it is stored: never the key itself.
 *
 * @param sha256 SHA-256 of the key's UTF-8 bytes, lower-case hex
 */
public record AgentKey(String id, String sha256, String tenant, String agent) {}
