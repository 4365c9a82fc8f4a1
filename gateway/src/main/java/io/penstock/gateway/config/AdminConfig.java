package io.penstock.gateway.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The admin plane: health, metrics and the operators' API, never on the agents' port.
 *
 * @param tokensFile who may use the operators' API; without it that API is closed, while health and
 *     metrics stay open
 */
public record AdminConfig(ListenConfig listen, @Nullable Path tokensFile) {}
