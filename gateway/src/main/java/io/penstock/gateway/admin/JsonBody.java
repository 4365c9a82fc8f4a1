package io.penstock.gateway.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.gateway.http.InboundRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The JSON object of a request, read strictly: a member that is not known, stands twice or has
 * another type is refused, because an order that is half understood is another order.
 */
final class JsonBody {
    private static final int DEPTH_MAX = 8;
    private static final ObjectMapper JSON =
            new ObjectMapper(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEPTH_MAX)
                                                    .build())
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                                    .build())
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);

    private final JsonNode object;
    private final String where;

    private JsonBody(JsonNode object, String where, Set<String> known) {
        this.object = object;
        this.where = where;
        if (!object.isObject()) {
            throw new BadRequestException(where + " must be a JSON object");
        }
        object.fieldNames()
                .forEachRemaining(
                        name -> {
                            if (!known.contains(name)) {
                                throw new BadRequestException(
                                        where + " has an unknown member; known are " + known);
                            }
                        });
    }

    static JsonBody of(InboundRequest request, Set<String> known) {
        String type = request.headers().first("Content-Type");
        if (type == null
                || !type.split(";", 2)[0]
                        .trim()
                        .toLowerCase(Locale.ROOT)
                        .equals("application/json")) {
            throw new BadRequestException("the body must be application/json");
        }
        try {
            return new JsonBody(JSON.readTree(request.body()), "the body", known);
        } catch (JsonProcessingException e) {
            throw new BadRequestException("the body is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new BadRequestException("the body is not UTF-8");
        }
    }

    /** Text that must be there, of at most that many characters. */
    String text(String name, int most) {
        JsonNode value = object.path(name);
        if (!value.isTextual()
                || value.textValue().isBlank()
                || value.textValue().length() > most) {
            throw new BadRequestException(
                    where + " needs " + name + ": text of 1 to " + most + " characters");
        }
        return value.textValue();
    }

    String text(String name, int most, String fallback) {
        return object.has(name) ? text(name, most) : fallback;
    }

    boolean flag(String name) {
        JsonNode value = object.path(name);
        if (value.isMissingNode()) {
            return false;
        }
        if (!value.isBoolean()) {
            throw new BadRequestException(where + ": " + name + " is true or false");
        }
        return value.booleanValue();
    }

    long number(String name, long least, long most, long fallback) {
        JsonNode value = object.path(name);
        if (value.isMissingNode() && fallback >= least) {
            return fallback;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < least
                || value.longValue() > most) {
            throw new BadRequestException(
                    where + " needs " + name + ": a whole number from " + least + " to " + most);
        }
        return value.longValue();
    }

    List<JsonBody> objects(String name, int most, Set<String> known) {
        JsonNode value = object.path(name);
        if (!value.isArray() || value.isEmpty() || value.size() > most) {
            throw new BadRequestException(
                    where + " needs " + name + ": a list of 1 to " + most + " objects");
        }
        List<JsonBody> objects = new ArrayList<>();
        value.forEach(
                item -> objects.add(new JsonBody(item, name + "[" + objects.size() + "]", known)));
        return objects;
    }

    boolean has(String name) {
        return object.has(name);
    }
}
