/**
 * The listener: sockets become whole requests that can be read in one way, for one handler, and its
 * answers become bytes.
 *
 * <p>{@link io.penstock.gateway.door.DataListener} is the way in. Below it: {@code Acceptor} gives
 * each socket a virtual thread and a {@code DoorConnection}; {@code Http1Connection} reads heads
 * ({@code HeadReader}, {@code Framing}) and bodies ({@code BodyReader}) from an {@code Intake};
 * {@code Http2Link} stands around Helidon's HTTP/2, with an {@code Http2Exchange} for each stream.
 * {@code Pace} knows how long a connection may take for what it does, and the {@code Sweeper} cuts
 * it when it is over.
 *
 * <p><b>Locks.</b> {@code Intake}'s and {@code Http2Exchange}'s monitors guard their own fields,
 * {@code Http2Link}'s map its streams and goodbye; none is held across I/O. {@code
 * Http2Link.writing} and {@code TlsSocket.writing} are held while one frame or record is written.
 * Order: {@code Http2Link}'s map, then {@code Http2Exchange}.
 */
@NullMarked
package io.penstock.gateway.door;

import org.jspecify.annotations.NullMarked;
