package io.penstock.e2e;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The upstream that counts: what arrived here is what the gateway let through, whatever the gateway
 * says. Its tools misbehave by their names, as {@link Trick} lists them; every other tool is
 * answered at once, {@code use-N} with a usage of N tokens.
 */
final class Upstream implements AutoCloseable {
    /** One request that arrived, with the headers that the gateway gave it. */
    record Arrival(
            long atNanos,
            long atMillis,
            String method,
            String target,
            Map<String, String> headers,
            byte[] body) {
        UUID call() {
            return UUID.fromString(headers.get("penstock-call"));
        }

        long epoch() {
            return Long.parseLong(headers.get("penstock-epoch"));
        }

        long notAfter() {
            return Long.parseLong(headers.get("penstock-not-after"));
        }

        /** Whether an upstream that looks at the time would refuse it. */
        boolean refusable() {
            return atMillis > notAfter();
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*(\\d+|\"[^\"]*\")");
    private static final Pattern TOOL = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]*)\"");

    /** The session that every client is given; a DELETE ends it for all. */
    static final String SESSION = "the-upstreams-own-session";

    private final ServerSocket listener;
    private final AtomicBoolean sessionEnded = new AtomicBoolean();
    private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private final Map<Trick, Integer> playing = new ConcurrentHashMap<>();
    private final Map<Trick, Integer> mostPlayed = new ConcurrentHashMap<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private Upstream(ServerSocket listener) {
        this.listener = listener;
    }

    static Upstream start() {
        try {
            var upstream =
                    new Upstream(new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()));
            Thread.ofPlatform().daemon().name("e2e-upstream").start(upstream::accept);
            return upstream;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    int count() {
        return arrivals.size();
    }

    void forget() {
        arrivals.clear();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), 8192);
            while (answer(read(in), socket)) {}
        } catch (IOException e) {
            // the gateway closed the connection, as it may
        } finally {
            open.remove(socket);
        }
    }

    private Arrival read(InputStream in) throws IOException {
        String[] first = line(in).split(" ", 3);
        Map<String, String> headers = new TreeMap<>();
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            int colon = field.indexOf(':');
            headers.put(
                    field.substring(0, colon).toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        var arrival =
                new Arrival(
                        System.nanoTime(),
                        System.currentTimeMillis(),
                        first[0],
                        first[1],
                        headers,
                        in.readNBytes(length));
        arrivals.add(arrival);
        return arrival;
    }

    private boolean answer(Arrival arrival, Socket socket) throws IOException {
        OutputStream out = socket.getOutputStream();
        Matcher tool = TOOL.matcher(arrival.text());
        String name =
                arrival.target().startsWith("/mcp")
                        ? tool.find() ? tool.group(1) : "none"
                        : arrival.target().substring(arrival.target().lastIndexOf('/') + 1);
        for (Trick trick : Trick.values()) {
            if (trick.tool().equals(name)) return play(trick, arrival, out);
        }
        if (name.startsWith("use-")) {
            out.write(used(id(arrival), name.substring(4)));
            return true;
        }
        if (arrival.method().equals("HEAD")) {
            out.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            return true;
        }
        out.write(plain(arrival));
        return true;
    }

    private boolean play(Trick trick, Arrival arrival, OutputStream out) throws IOException {
        int now = playing.merge(trick, 1, Integer::sum);
        mostPlayed.merge(trick, now, Math::max);
        try {
            return trick.play(id(arrival), out);
        } finally {
            playing.merge(trick, -1, Integer::sum);
        }
    }

    /** How many calls of that kind were ever under way here at the same time. */
    int mostAtOnce(Trick trick) {
        return mostPlayed.getOrDefault(trick, 0);
    }

    private byte[] plain(Arrival arrival) {
        if (!arrival.target().startsWith("/mcp")) {
            return json("{\"target\":\"" + arrival.target() + "\"}");
        }
        if (arrival.method().equals("DELETE")) {
            sessionEnded.set(true);
            return answer("200 OK", "", "");
        }
        if (arrival.headers().containsKey("mcp-session-id") && sessionEnded.get()) {
            return answer("404 Not Found", "", "");
        }
        boolean hello = arrival.text().contains("\"initialize\"");
        return answer(
                "200 OK", hello ? "Mcp-Session-Id: " + SESSION + "\r\n" : "", result(id(arrival)));
    }

    /** An answer that reports what it cost. */
    private static byte[] used(String id, String tokens) {
        return answer(
                "200 OK",
                "X-Tokens: " + tokens + "\r\n",
                "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"usage\":{\"tokens\":%s}}}"
                        .formatted(id, tokens));
    }

    private static String id(Arrival arrival) {
        Matcher id = ID.matcher(arrival.text());
        return id.find() ? id.group(1) : "null";
    }

    static String result(String id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":"
                + id
                + ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}";
    }

    static byte[] json(String body) {
        return answer("200 OK", "", body);
    }

    private static byte[] answer(String status, String more, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return ("HTTP/1.1 "
                        + status
                        + "\r\nContent-Type: application/json\r\n"
                        + more
                        + "Content-Length: "
                        + bytes.length
                        + "\r\n\r\n"
                        + body)
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) throw new IOException("closed");
            if (next != '\r') line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
