/** Sockets of virtual threads: who waits for bytes, waits at a poller whose registrations stay. */
@NullMarked
package io.penstock.gateway.socket;

import org.jspecify.annotations.NullMarked;
