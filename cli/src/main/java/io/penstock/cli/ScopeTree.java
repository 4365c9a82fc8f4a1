package io.penstock.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** A counter's scope, which the database gives as JSON text. */
final class ScopeTree {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ScopeTree() {}

    static JsonNode of(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the database wrote this JSON itself: " + text, e);
        }
    }
}
