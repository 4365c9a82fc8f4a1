package io.penstock.gateway.identity;

import org.jspecify.annotations.Nullable;

/** A keys file that cannot be read, or is not what it should be. Never names a digest. */
public final class KeysFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeysFileException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
