package io.penstock.gateway.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One whole answer of the admin plane. Nothing of it may be kept by a cache. */
record Answer(int status, HeaderBlock headers, byte[] body) implements Response {
    private static final ObjectMapper JSON = new ObjectMapper();

    static Answer json(int status, Map<String, ?> members) {
        return of(status, "application/json", write(members));
    }

    static Answer of(int status, String type, byte[] body) {
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Content-Type", type)
                        .add("Cache-Control", "no-store")
                        .add("X-Content-Type-Options", "nosniff");
        return new Answer(status, headers, body);
    }

    /**
     * A problem document (RFC 9457).
     *
     * @param code one fixed word
     * @param detail a sentence for a person
     */
    static Answer problem(int status, String code, String detail) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("type", "about:blank");
        members.put("title", title(status));
        members.put("status", status);
        members.put("code", code);
        members.put("detail", detail);
        return of(status, "application/problem+json", write(members));
    }

    Answer with(String name, String value) {
        headers.add(name, value);
        return this;
    }

    @Override
    public void send(Reply reply) {
        reply.send(status, headers, body, 0, body.length);
    }

    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** As one line of a stream: no line break stands in it. */
    static byte[] line(Map<String, ?> members) {
        byte[] json = write(members);
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    private static byte[] write(Map<String, ?> members) {
        try {
            return JSON.writeValueAsBytes(members);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer has a value that is no JSON", e);
        }
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 415 -> "Unsupported Media Type";
            case 429 -> "Too Many Requests";
            case 503 -> "Service Unavailable";
            default -> "Error";
        };
    }
}
