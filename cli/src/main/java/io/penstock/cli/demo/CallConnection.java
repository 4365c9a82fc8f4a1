package io.penstock.cli.demo;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection to a gateway, kept open for many calls. A client library would share and
 * reuse connections as it likes; here the connection is the point, because the kernel gives each to
 * one of the replicas that share the port.
 */
final class CallConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int READ_MILLIS = 30_000;
    private static final int LINE_BYTES_MAX = 64 * 1024;
    private static final int BODY_BYTES_MAX = 16 << 20;

    private final URI uri;
    private final Socket socket;
    private final InputStream in;

    /**
     * An answer.
     *
     * @param headers by lower-case name
     */
    record Answer(int status, Map<String, String> headers, String body) {
        @Nullable String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }
    }

    private CallConnection(URI uri, Socket socket) throws IOException {
        this.uri = uri;
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static CallConnection open(URI uri) throws IOException {
        boolean secure = "https".equals(uri.getScheme());
        int port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(uri.getHost(), port), CONNECT_MILLIS);
            socket.setSoTimeout(READ_MILLIS);
            if (secure) {
                SSLSocketFactory tls = (SSLSocketFactory) SSLSocketFactory.getDefault();
                return new CallConnection(uri, tls.createSocket(socket, uri.getHost(), port, true));
            }
            return new CallConnection(uri, socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    Answer post(Map<String, String> headers, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder();
        head.append("POST ").append(uri.getRawPath()).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(uri.getRawAuthority()).append("\r\n");
        head.append("Content-Length: ").append(bytes.length).append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = java.util.Arrays.copyOf(start, start.length + bytes.length);
        System.arraycopy(bytes, 0, all, start.length, bytes.length);
        socket.getOutputStream().write(all);
        return answer();
    }

    private Answer answer() throws IOException {
        String[] status = line().split(" ", 3);
        if (status.length < 2 || !status[1].matches("[0-9]{3}")) {
            throw new IOException("not an HTTP answer: " + String.join(" ", status));
        }
        Map<String, String> headers = headers();
        String encoding = headers.getOrDefault("transfer-encoding", "");
        byte[] body =
                encoding.equalsIgnoreCase("chunked")
                        ? chunks()
                        : exactly(Long.parseLong(headers.getOrDefault("content-length", "0")));
        return new Answer(
                Integer.parseInt(status[1]), headers, new String(body, StandardCharsets.UTF_8));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).trim());
            }
        }
        return headers;
    }

    private byte[] chunks() throws IOException {
        java.io.ByteArrayOutputStream body = new java.io.ByteArrayOutputStream();
        while (true) {
            String size = line().split(";", 2)[0].trim();
            int length = Integer.parseInt(size, 16);
            if (length == 0) {
                headers();
                return body.toByteArray();
            }
            if (body.size() + (long) length > BODY_BYTES_MAX) {
                throw new IOException("the answer is larger than 16 MiB");
            }
            body.write(exactly(length));
            line();
        }
    }

    private byte[] exactly(long length) throws IOException {
        if (length < 0 || length > BODY_BYTES_MAX) {
            throw new IOException("the answer is larger than 16 MiB");
        }
        byte[] bytes = in.readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException("the connection ended in the middle of an answer");
        }
        return bytes;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended without an answer");
            }
            if (line.length() >= LINE_BYTES_MAX) {
                throw new IOException("a header of the answer is larger than 64 KiB");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
