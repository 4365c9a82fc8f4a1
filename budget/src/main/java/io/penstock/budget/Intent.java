package io.penstock.budget;

import java.util.UUID;

/**
 * What the journal keeps of an admitted call before its first byte is sent.
 *
 * @param method the protocol's name of what it does
 */
public record Intent(UUID call, Subject subject, String method) {}
