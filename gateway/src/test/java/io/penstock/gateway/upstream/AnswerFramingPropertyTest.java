package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.http.HeaderBlock;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** However an answer is cut into chunks, and the chunks into packets, the same body comes out. */
final class AnswerFramingPropertyTest {
    private static final int ROUNDS = 2_000;
    private static final long SEED = Long.getLong("penstock.test.seed", System.nanoTime());

    @Test
    void body_anyChunksInAnyPieces_isTheSame() {
        System.Logger log = System.getLogger(getClass().getName());
        log.log(System.Logger.Level.INFO, "seed=" + SEED);
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(SEED + round);
            String body = text(random, random.nextInt(4) == 0 ? 40_000 : 60);
            boolean chunked = random.nextBoolean();
            String answer =
                    chunked
                            ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
                                    + chunks(random, body)
                            : "HTTP/1.1 200 OK\r\nContent-Length: "
                                    + body.length()
                                    + "\r\n\r\n"
                                    + body;
            int most = 1 + random.nextInt(random.nextBoolean() ? 3 : 20_000);
            ScriptedWire wire = new ScriptedWire(answer + "?", read -> 1 + random.nextInt(most));

            assertThat(read(wire, random)).as("round %d of seed %d", round, SEED).isEqualTo(body);
        }
    }

    private static String read(ScriptedWire wire, Random random) {
        HttpExchange exchange =
                new HttpExchange(
                        new Connection(wire, 0), new ConnectionPool(1, () -> 0), Heads.PLAIN);
        exchange.prepare("GET", "/", new HeaderBlock(), new byte[0]);
        exchange.sendFirst();
        exchange.sendRest(() -> true);
        assertThat(exchange.readHead()).isEqualTo(200);
        StringBuilder body = new StringBuilder();
        byte[] into = new byte[1 + random.nextInt(5_000)];
        int taken;
        while ((taken = exchange.read(into, 0, into.length)) >= 0) {
            assertThat(taken).isBetween(1, into.length);
            body.append(new String(into, 0, taken, java.nio.charset.StandardCharsets.ISO_8859_1));
        }
        return body.toString();
    }

    private static String text(Random random, int most) {
        int length = random.nextInt(most);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append("\r\n0123456789abcdef;".charAt(random.nextInt(19)));
        }
        return text.toString();
    }

    private static String chunks(Random random, String body) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < body.length()) {
            int size = 1 + random.nextInt(Math.min(body.length() - at, 9_000));
            out.append(random.nextInt(8) == 0 ? "000" : "").append(Integer.toHexString(size));
            out.append(random.nextInt(8) == 0 ? ";n=\"v\"" : "").append("\r\n");
            out.append(body, at, at + size).append("\r\n");
            at += size;
        }
        return out.append("0\r\n")
                .append(random.nextInt(4) == 0 ? "Trailer: t\r\n" : "")
                .append("\r\n")
                .toString();
    }
}
