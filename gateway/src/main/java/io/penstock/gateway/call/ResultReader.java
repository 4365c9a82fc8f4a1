package io.penstock.gateway.call;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.penstock.gateway.http.HeaderBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the result out of an answer that passes: a JSON document, or the last event of a stream
 * that carries one. What is longer than its bound, encoded, or no JSON is not read.
 *
 * <p><b>Threads.</b> One call's own.
 */
final class ResultReader {
    /** Longest document or event that is kept. */
    static final int BYTES_MAX = 1 << 20;

    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

    private final String root;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean readable = true;
    private boolean events;
    private boolean lineEmpty = true;
    private boolean tooLong;
    private @Nullable JsonNode result;

    /** {@code root}: where the result stands in the document, as the start of a JSON pointer. */
    ResultReader(String root) {
        this.root = root;
    }

    void head(HeaderBlock head) {
        String encoding = head.first("Content-Encoding");
        readable = encoding == null || encoding.equalsIgnoreCase("identity");
        String type = head.first("Content-Type");
        events = type != null && type.startsWith("text/event-stream");
    }

    void read(byte[] buffer, int count) {
        if (!readable) {
            return;
        }
        if (!events) {
            keep(buffer, 0, count);
            return;
        }
        int from = 0;
        for (int i = 0; i < count; i++) {
            if (buffer[i] == '\n') {
                if (lineEmpty) {
                    keep(buffer, from, i - from);
                    from = i + 1;
                    event();
                }
                lineEmpty = true;
            } else if (buffer[i] != '\r') {
                lineEmpty = false;
            }
        }
        keep(buffer, from, count - from);
    }

    private void keep(byte[] buffer, int from, int count) {
        if (tooLong || kept.size() + count > BYTES_MAX) {
            tooLong = true;
            kept.reset();
        } else {
            kept.write(buffer, from, count);
        }
    }

    /** An event has ended. */
    private void event() {
        if (!tooLong && kept.size() > 0) {
            StringBuilder data = new StringBuilder(kept.size());
            for (String line : kept.toString(StandardCharsets.UTF_8).split("\\r?\\n", -1)) {
                if (line.startsWith("data:")) {
                    data.append(line, line.startsWith("data: ") ? 6 : 5, line.length())
                            .append('\n');
                }
            }
            parse(data.toString().getBytes(StandardCharsets.UTF_8));
        }
        kept.reset();
        tooLong = false;
    }

    /** The answer came to its end. */
    void end() {
        if (!events && readable && !tooLong) {
            parse(kept.toByteArray());
            kept.reset();
        }
    }

    private void parse(byte[] document) {
        try {
            JsonNode tree = JSON.readTree(document);
            JsonNode found = tree.at(JsonPointer.compile(root));
            if (!found.isMissingNode()) {
                result = found;
            }
        } catch (JacksonException e) {
            // Not JSON: the price stays unknown, which is spent in full.
            readable = events;
        } catch (IOException e) {
            throw new IllegalStateException("reading an array does not fail", e);
        }
    }

    /** The number at a place in the result, or null where none stands there. */
    @Nullable BigDecimal number(String pointer) {
        if (result == null) {
            return null;
        }
        JsonNode node = result.at(JsonPointer.compile(pointer));
        return node.isNumber() ? node.decimalValue() : null;
    }
}
