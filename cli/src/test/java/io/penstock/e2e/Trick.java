package io.penstock.e2e;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Ways in which {@link Upstream} misbehaves, each under the name of a tool. */
enum Trick {
    /** Bytes that are no HTTP. */
    GARBAGE {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(out, "\u0000\u0001 this is no answer\r\n\r\n");
            return false;
        }
    },
    /** Never says anything. */
    STALL {
        @Override
        boolean play(String id, OutputStream out) {
            Await.pause(Duration.ofSeconds(30));
            return false;
        }
    },
    /** Closes without a byte. */
    CLOSE {
        @Override
        boolean play(String id, OutputStream out) {
            return false;
        }
    },
    /** Half an event, then the end of the connection. */
    HALF {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(out, STREAM);
            chunk(out, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"resu");
            return false;
        }
    },
    /** Sends the caller elsewhere. */
    REDIRECT {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(
                    out,
                    "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/secret\r\n"
                            + "Content-Length: 0\r\n\r\n");
            return true;
        }
    },
    /** An event of 5 MB. */
    BIG {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(out, STREAM);
            String event =
                    "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":"
                            + id
                            + ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\""
                            + "x".repeat(5_000_000)
                            + "\"}]}}\n\n";
            for (int at = 0; at < event.length(); at += 65_536) {
                chunk(out, event.substring(at, Math.min(event.length(), at + 65_536)));
            }
            write(out, "0\r\n\r\n");
            return true;
        }
    },
    /** One byte at a time, each in a chunk of its own. */
    DRIP {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(out, STREAM);
            for (char each :
                    ("event: message\ndata: " + Upstream.result(id) + "\n\n").toCharArray()) {
                chunk(out, String.valueOf(each));
                out.flush();
            }
            write(out, "0\r\n\r\n");
            return true;
        }
    },
    /** A stream that never ends by itself: an event every 20 ms. */
    ENDLESS {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(out, STREAM);
            while (true) {
                chunk(
                        out,
                        "event: message\ndata: {\"jsonrpc\":\"2.0\","
                                + "\"method\":\"notifications/progress\",\"params\":{}}\n\n");
                Await.pause(Duration.ofMillis(20));
            }
        }
    },
    /** A stream that never ends by itself: an event every second. */
    CALM {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(out, STREAM);
            while (true) {
                chunk(
                        out,
                        "event: message\ndata: {\"jsonrpc\":\"2.0\","
                                + "\"method\":\"notifications/progress\",\"params\":{}}\n\n");
                Await.pause(Duration.ofSeconds(1));
            }
        }
    },
    /** Answers after 300 ms. */
    SLOW {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            Await.pause(Duration.ofMillis(300));
            out.write(Upstream.json(Upstream.result(id)));
            return true;
        }
    },
    /** A server's own error, with its insides shown. */
    ERROR {
        @Override
        boolean play(String id, OutputStream out) throws IOException {
            write(
                    out,
                    "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n"
                            + "Content-Length: 4\r\n\r\nbang");
            return true;
        }
    };

    private static final String STREAM =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n";

    /**
     * Answers one request.
     *
     * @return whether the connection can be used again
     */
    abstract boolean play(String id, OutputStream out) throws IOException;

    /** The tool's name. */
    String tool() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private static void chunk(OutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(out, Integer.toHexString(bytes.length) + "\r\n" + text + "\r\n");
    }
}
