package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.UpstreamException.Kind.UNREACHABLE;

import io.penstock.gateway.socket.Pollers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections to one upstream: name, TCP and TLS within one time limit.
 *
 * <p>The certificate must be of a trusted authority and name the host of the URL.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class Dialer {
    private final Pollers pollers;
    private final String host;
    private final int port;
    private final Names names;
    private final @Nullable SSLContext tls;
    private final long timeoutNanos;
    private final LongSupplier nanos;

    /**
     * @param tls null for plain connections
     */
    Dialer(
            Pollers pollers,
            URI url,
            @Nullable SSLContext tls,
            long timeoutNanos,
            LongSupplier nanos) {
        this.pollers = pollers;
        host = bare(url.getHost());
        port = url.getPort() >= 0 ? url.getPort() : tls == null ? 80 : 443;
        names = new Names(host, nanos);
        this.tls = tls;
        this.timeoutNanos = timeoutNanos;
        this.nanos = nanos;
    }

    /** An IPv6 address without the brackets that a URL puts around it. */
    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    Wire dial() {
        long deadline = nanos.getAsLong() + timeoutNanos;
        InetAddress[] addresses = names.addresses(deadline);
        UpstreamException failure = tooLate(null);
        for (int i = 0; i < addresses.length; i++) {
            long left = deadline - nanos.getAsLong();
            if (left <= 0) {
                break;
            }
            try {
                // A dead first address must leave time for the others.
                return dial(addresses[i], left / (addresses.length - i), deadline);
            } catch (UpstreamException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private Wire dial(InetAddress address, long connectNanos, long deadline) {
        try {
            SocketChannel channel = SocketChannel.open();
            try {
                return connect(channel, address, connectNanos, deadline);
            } catch (IOException e) {
                TlsWire.close(channel);
                throw e;
            }
        } catch (SSLException e) {
            throw new UpstreamException(UNREACHABLE, "TLS with the upstream failed", e);
        } catch (IOException e) {
            throw nanos.getAsLong() - deadline >= 0
                    ? tooLate(e)
                    : new UpstreamException(UNREACHABLE, "the upstream cannot be reached", e);
        }
    }

    private Wire connect(
            SocketChannel channel, InetAddress address, long connectNanos, long deadline)
            throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        int millis = Math.clamp(connectNanos / 1_000_000, 1, Integer.MAX_VALUE);
        channel.socket().connect(new InetSocketAddress(address, port), millis);
        return tls == null
                ? new PlainWire(pollers.take(channel))
                : handshake(channel, tls, deadline);
    }

    private TlsWire handshake(SocketChannel channel, SSLContext context, long deadline)
            throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(channel.socket(), host, port, false);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        socket.setSSLParameters(parameters);
        CountDownLatch done = new CountDownLatch(1);
        closeAfter(channel, done, deadline);
        try {
            socket.startHandshake();
        } finally {
            done.countDown();
        }
        return new TlsWire(channel, socket);
    }

    /** Read timeouts restart with every byte of a slow peer; this limit does not. */
    private void closeAfter(SocketChannel channel, CountDownLatch done, long deadline) {
        Thread.ofVirtual()
                .name("upstream-handshake-limit")
                .start(
                        () -> {
                            try {
                                if (!done.await(
                                        deadline - nanos.getAsLong(), TimeUnit.NANOSECONDS)) {
                                    TlsWire.close(channel);
                                }
                            } catch (InterruptedException never) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private static UpstreamException tooLate(@Nullable Exception cause) {
        return new UpstreamException(
                UNREACHABLE, "no connection to the upstream within the connect timeout", cause);
    }
}
