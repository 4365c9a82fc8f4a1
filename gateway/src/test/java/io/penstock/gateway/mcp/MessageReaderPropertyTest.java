package io.penstock.gateway.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whatever is accepted, a second reader (Jackson, strict) must accept and read the same; whatever
 * that one takes for a call in another spelling must not have been accepted as something else.
 */
class MessageReaderPropertyTest {
    private static final int ROUNDS = 60_000;
    private static final String[] SCRAPS = {
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "\\u006d",
        "\\u0000",
        "\\ud83d",
        "\\ude00",
        "null",
        "true",
        "1e5",
        "1e400",
        "-0",
        "01",
        "1.5",
        "NaN",
        " ",
        "\n",
        "\u0000",
        "é",
        "\ufeff",
        "😀",
        "\"id\":2,",
        "\"method\":\"ping\",",
        "\"METHOD\":\"ping\",",
        "\"name\":\"other\",",
        "\"params\":{},",
        "/*x*/",
        "'",
        "\"jsonrpc\":\"2.0\",",
        "\"result\":{},",
        "\\/",
        "tools"
    };

    private final ObjectMapper jackson =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();
    private final MessageReader reader = new MessageReader(16);

    @Test
    void read_mutatedMessages_acceptsOnlyWhatAnotherReaderReadsTheSame() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int accepted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] body = mutated(message(random), random);
            if (reader.read(body) instanceof Reading.Single(Message message)) {
                accepted++;
                compare(message, parsed(body), explain(seed, round, body));
            }
        }
        // The property means nothing if hardly anything is accepted, or everything.
        assertThat(accepted).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 10);
    }

    @Test
    void read_wellFormedMessages_acceptsAll() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            byte[] body = message(random).getBytes(UTF_8);
            assertThat(reader.read(body))
                    .as(explain(seed, round, body))
                    .isInstanceOf(Reading.Single.class);
        }
    }

    private static String explain(long seed, int round, byte[] body) {
        return "seed " + seed + " round " + round + ": " + new String(body, UTF_8);
    }

    /** A missing node where the other reader refuses. */
    private JsonNode parsed(byte[] body) {
        try {
            return jackson.readTree(body);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private void compare(Message message, JsonNode tree, String what) throws IOException {
        assertThat(tree.isObject()).as(what).isTrue();
        assertThat(tree.path("jsonrpc").textValue()).as(what).isEqualTo("2.0");
        assertThat(message.method()).as(what).isEqualTo(tree.path("method").asText(""));
        assertThat(message.name()).as(what).isEqualTo(tree.path("params").path("name").textValue());
        assertThat(message.uri()).as(what).isEqualTo(tree.path("params").path("uri").textValue());
        assertThat(message.version())
                .as(what)
                .isEqualTo(
                        tree.path("params")
                                .path("_meta")
                                .path("io.modelcontextprotocol/protocolVersion")
                                .textValue());
        assertThat(tree.has("id")).as(what).isEqualTo(message.id() != null);
        if (message.id() != null) {
            assertThat(jackson.readTree(message.id())).as(what).isEqualTo(tree.get("id"));
        }
        tree.fieldNames()
                .forEachRemaining(
                        key ->
                                assertThat(
                                                key.equals("method")
                                                        || !key.toLowerCase(Locale.ROOT)
                                                                .equals("method"))
                                        .as(what)
                                        .isTrue());
    }

    private static String message(Random random) {
        StringBuilder text = new StringBuilder("{\"jsonrpc\":\"2.0\"");
        if (random.nextInt(5) > 0) {
            text.append(",\"id\":").append(random.nextBoolean() ? "17" : "\"a-1\"");
        }
        text.append(",\"method\":\"").append(random.nextBoolean() ? "tools/call" : "x/y");
        text.append("\",\"params\":{\"name\":\"read\",\"uri\":").append(value(random, 2));
        text.append(",\"arguments\":").append(value(random, 3));
        if (random.nextBoolean()) {
            text.append(",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}");
        }
        return text.append("}}").toString();
    }

    private static String value(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 6)) {
            case 0 -> "null";
            case 1 -> "true";
            case 2 -> Long.toString(random.nextLong());
            case 3 -> Double.toString(random.nextGaussian() * 1e10);
            case 4 -> "\"plain text of some length\"";
            case 5 -> "\"\\u00e9\\ud83d\\ude00 \\\"é😀\"";
            case 6 -> "[" + value(random, depth - 1) + " , " + value(random, depth - 1) + "]";
            default ->
                    "{\"a\":"
                            + value(random, depth - 1)
                            + ",\"b\":"
                            + value(random, depth - 1)
                            + "}";
        };
    }

    private static byte[] mutated(String message, Random random) {
        StringBuilder text = new StringBuilder(message);
        for (int i = random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.insert(at, SCRAPS[random.nextInt(SCRAPS.length)]);
                case 1 -> text.deleteCharAt(at);
                case 2 -> text.setCharAt(at, Character.toUpperCase(text.charAt(at)));
                default -> text.setCharAt(at, (char) (' ' + random.nextInt(95)));
            }
        }
        byte[] bytes = text.toString().getBytes(UTF_8);
        if (random.nextInt(8) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }
}
