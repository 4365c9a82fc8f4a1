package io.penstock.gateway.admin;

import io.penstock.budget.Subject;
import io.penstock.gateway.http.InboundRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which call somebody asks about, in the query: {@code agent=T/A&server=S&tool=T[&session=ID]}. */
record Question(Subject subject) {
    private static final Set<String> NAMES = Set.of("agent", "server", "tool", "session");
    private static final int VALUE_MAX = 512;

    /**
     * @throws BadRequestException where a part is missing, twice there, unknown or too long
     */
    static Question of(InboundRequest request) {
        Map<String, String> values = values(request.target());
        String[] agent = required(values, "agent").split("/", 2);
        if (agent.length != 2 || agent[0].isEmpty() || agent[1].isEmpty()) {
            throw new BadRequestException("agent is TENANT/AGENT");
        }
        return new Question(
                new Subject(
                        agent[0],
                        agent[1],
                        required(values, "server"),
                        required(values, "tool"),
                        values.get("session")));
    }

    String server() {
        return subject.server();
    }

    private static String required(Map<String, String> values, String name) {
        @Nullable String value = values.get(name);
        if (value == null || value.isEmpty()) {
            throw new BadRequestException(
                    name + " is missing: agent=TENANT/AGENT, server=S and tool=T are needed");
        }
        return value;
    }

    private static Map<String, String> values(String target) {
        Map<String, String> values = new HashMap<>();
        int query = target.indexOf('?');
        if (query < 0) {
            return values;
        }
        for (String part : target.substring(query + 1).split("&", -1)) {
            int equals = part.indexOf('=');
            String name = decoded(equals < 0 ? part : part.substring(0, equals));
            String value = equals < 0 ? "" : decoded(part.substring(equals + 1));
            if (!NAMES.contains(name)) {
                throw new BadRequestException(
                        "the query knows agent, server, tool and session only");
            }
            if (value.length() > VALUE_MAX || values.put(name, value) != null) {
                throw new BadRequestException(name + " is there twice or too long");
            }
        }
        return values;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("the query is not percent-encoded as it should be");
        }
    }
}
