package io.penstock.gateway.mcp;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What each JSON-RPC method is to the gateway.
 *
 * <p>A call is {@code tools/call}, {@code resources/read}, {@code prompts/get}, {@code
 * completion/complete}, and every method that no revision of the protocol has: an unknown method is
 * never free. The tool of {@code tools/call} is {@code params.name}; of every other call it is the
 * method's own name, so that a stop or a budget can name {@code resources/read} like a tool, and
 * the number of distinct tools does not grow with the resources that are read.
 */
final class RpcMethods {
    static final String TOOLS_CALL = "tools/call";
    static final String RESOURCES_READ = "resources/read";
    static final String PROMPTS_GET = "prompts/get";
    static final String INITIALIZE = "initialize";
    static final String SUBSCRIPTIONS_LISTEN = "subscriptions/listen";
    private static final String NOTIFICATIONS = "notifications/";

    private static final Set<String> CALLS =
            Set.of(TOOLS_CALL, RESOURCES_READ, PROMPTS_GET, "completion/complete");

    /**
     * What clients may ask a server besides, in any revision, and what costs it next to nothing.
     */
    private static final Set<String> FREE =
            Set.of(
                    INITIALIZE,
                    "ping",
                    "server/discover",
                    "tools/list",
                    "resources/list",
                    "resources/templates/list",
                    "resources/subscribe",
                    "resources/unsubscribe",
                    "prompts/list",
                    "logging/setLevel",
                    "tasks/get",
                    "tasks/result",
                    "tasks/list",
                    "tasks/cancel",
                    SUBSCRIPTIONS_LISTEN);

    private static final Map<String, String> BY_FOLD = new HashMap<>();

    static {
        CALLS.forEach(method -> BY_FOLD.put(DecidingKeys.fold(method), method));
        FREE.forEach(method -> BY_FOLD.put(DecidingKeys.fold(method), method));
    }

    private RpcMethods() {}

    /** Whether budgets and the journal count a request of that method. */
    static boolean counted(String method) {
        return !FREE.contains(method);
    }

    /** Whether it has the form of a notification's method, the only one a notification may have. */
    static boolean notification(String method) {
        return method.startsWith(NOTIFICATIONS);
    }

    /**
     * The known method that a reader which ignores case would take this one for; null where there
     * is none, or it is that very method.
     */
    static @Nullable String mistakable(String method) {
        if (CALLS.contains(method) || FREE.contains(method)) {
            return null;
        }
        return BY_FOLD.get(DecidingKeys.fold(method));
    }

    /** The parameter that {@code Mcp-Name} mirrors, or null where none does. */
    static @Nullable String mirrored(Message message) {
        return switch (message.method()) {
            case TOOLS_CALL, PROMPTS_GET -> message.name();
            case RESOURCES_READ -> message.uri();
            default -> null;
        };
    }
}
