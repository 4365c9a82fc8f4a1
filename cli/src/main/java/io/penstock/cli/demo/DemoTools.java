package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The demo server's tools: one fast, one slow, one that streams, one that fails. */
final class DemoTools {
    static final String FAST = "echo";
    static final String SLOW = "wait";
    static final String STREAMING = "count";
    static final String FAILING = "fail";

    private static final int WAIT_MILLIS_MAX = 60_000;
    private static final int STEPS_MAX = 10_000;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private DemoTools() {}

    /** How a call is to be answered. */
    sealed interface Answer {

        /** The tool's text; {@code failed} marks a failure that a model should see. */
        record Text(String text, boolean failed) implements Answer {}

        /** The text after a pause. */
        record Later(int millis, String text) implements Answer {}

        /** Progress on an event stream, then the text. */
        record Stream(int steps, int pauseMillis, String text) implements Answer {}

        /** No result: HTTP status 500, as a server answers that broke. */
        record Broken() implements Answer {}

        /** A JSON-RPC error. */
        record Wrong(int code, String message) implements Answer {}
    }

    static ArrayNode list() {
        ArrayNode tools = JSON.arrayNode();
        tool(tools, FAST, "Answers at once with the message it was given.")
                .set("message", property("string", "what to say back"));
        tool(tools, SLOW, "Answers after a pause.")
                .set("millis", property("integer", "the pause, 3000 unless told otherwise"));
        ObjectNode count =
                tool(tools, STREAMING, "Counts, and tells each step on an event stream.");
        count.set("steps", property("integer", "how far, 5 unless told otherwise"));
        count.set(
                "millis", property("integer", "pause before each step, 500 unless told otherwise"));
        tool(tools, FAILING, "Fails.")
                .set(
                        "how",
                        property("string", "tool (default), rpc or http: what kind of failure"));
        return tools;
    }

    private static ObjectNode tool(ArrayNode tools, String name, String description) {
        ObjectNode tool = tools.addObject();
        tool.put("name", name).put("description", description);
        ObjectNode schema = tool.putObject("inputSchema").put("type", "object");
        return schema.putObject("properties");
    }

    private static ObjectNode property(String type, String description) {
        return JSON.objectNode().put("type", type).put("description", description);
    }

    /** What the tool does with these arguments. */
    static Answer call(@Nullable String tool, JsonNode arguments) {
        return switch (tool) {
            case FAST -> new Answer.Text(arguments.path("message").asText("hello"), false);
            case SLOW -> {
                int millis = number(arguments, "millis", 3_000, WAIT_MILLIS_MAX);
                yield new Answer.Later(millis, "waited " + millis + " ms");
            }
            case STREAMING -> {
                int steps = number(arguments, "steps", 5, STEPS_MAX);
                int millis = number(arguments, "millis", 500, WAIT_MILLIS_MAX);
                yield new Answer.Stream(steps, millis, "counted to " + steps);
            }
            case FAILING -> failure(arguments.path("how").asText("tool"));
            case null -> new Answer.Wrong(-32602, "params.name is missing");
            default -> new Answer.Wrong(-32602, "unknown tool: " + tool);
        };
    }

    private static Answer failure(String how) {
        return switch (how) {
            case "http" -> new Answer.Broken();
            case "rpc" -> new Answer.Wrong(-32603, "failed, as asked");
            default -> new Answer.Text("failed, as asked", true);
        };
    }

    private static int number(JsonNode arguments, String name, int otherwise, int most) {
        return Math.clamp(arguments.path(name).asInt(otherwise), 0, most);
    }
}
