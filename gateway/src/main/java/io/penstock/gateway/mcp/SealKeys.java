package io.penstock.gateway.mcp;

import org.jspecify.annotations.Nullable;

/**
 * The cluster's seal keys as this replica knows them; two are valid at a time, for rotation.
 *
 * <p><b>Threads.</b> Safe for concurrent use; never blocks.
 */
public interface SealKeys {

    /** The key to seal with, or null where none was read yet. */
    @Nullable SealKey current();

    /** A valid key, or null where that one is unknown or over. */
    @Nullable SealKey find(int id);
}
