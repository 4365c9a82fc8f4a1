package io.penstock.gateway.identity;

import io.penstock.gateway.http.HeaderBlock;

/**
 * Tells who makes a request, by its headers.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
@FunctionalInterface
public interface Identification {

    /** Never blocks. */
    Identity identify(HeaderBlock headers);
}
