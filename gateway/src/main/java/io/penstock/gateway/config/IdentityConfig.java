package io.penstock.gateway.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How agents say who they are.
 *
 * @param keysFile keys beside those in the database, read again every few seconds
 */
public record IdentityConfig(IdentityMode mode, @Nullable Path keysFile) {

    /** Where an agent's identity comes from. */
    public enum IdentityMode {
        /** An API key that only its digest is kept of. */
        API_KEY,
        /** Headers, trusted as they come: for networks where something in front sets them. */
        OPEN
    }
}
