package io.penstock.gateway.mcp;

import io.penstock.gateway.identity.Names;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the protocol, and the gateway for its own sake, asks of a message beyond its form.
 *
 * <p>A server that is careless may run what a careful one refuses: a {@code tools/call} without an
 * id, a method in other letters. Such a message is refused here, so that it is never run uncounted.
 */
final class MessageRules {
    private MessageRules() {}

    /** What is wrong with a message by itself, or null. */
    static @Nullable RpcFault fault(Message message, Revision revision) {
        return switch (message.kind()) {
            case REQUEST -> requestFault(message);
            case NOTIFICATION ->
                    RpcMethods.notification(message.method()) && Names.printable(message.method())
                            ? null
                            : invalid("a message without an id must be a notification");
            case RESPONSE ->
                    revision.stateless()
                            ? invalid("this revision has no responses from clients")
                            : null;
        };
    }

    private static @Nullable RpcFault requestFault(Message message) {
        if (!Names.printable(message.method())) {
            return invalid("method is not printable text of 1 to 256 bytes");
        }
        String meant = RpcMethods.mistakable(message.method());
        if (meant != null) {
            return invalid("method differs only in case from " + meant);
        }
        return switch (message.method()) {
            case RpcMethods.TOOLS_CALL ->
                    message.name() != null && Names.printable(message.name())
                            ? null
                            : new RpcFault(
                                    RpcError.INVALID_PARAMS,
                                    "params.name must be printable text of 1 to 256 bytes");
            case RpcMethods.PROMPTS_GET -> required(message.name(), "params.name");
            case RpcMethods.RESOURCES_READ -> required(message.uri(), "params.uri");
            default -> null;
        };
    }

    private static @Nullable RpcFault required(@Nullable String value, String what) {
        return value != null
                ? null
                : new RpcFault(RpcError.INVALID_PARAMS, what + " must be a string");
    }

    /** Where the headers of a request and a message of its body disagree, or null. */
    static @Nullable RpcFault mismatch(Message message, McpHeaders headers, Revision revision) {
        String reason = headers.fault();
        if (reason == null) {
            reason = versionMismatch(message, headers, revision);
        }
        if (reason == null) {
            reason = methodMismatch(message, headers, revision);
        }
        if (reason == null) {
            reason = nameMismatch(message, headers, revision);
        }
        return reason == null
                ? null
                : new RpcFault(RpcError.HEADER_MISMATCH, "header mismatch: " + reason);
    }

    private static @Nullable String versionMismatch(
            Message message, McpHeaders headers, Revision revision) {
        if (message.version() == null) {
            return revision.stateless() && message.kind() == Message.Kind.REQUEST
                    ? "params._meta names no protocol version, " + McpHeaders.VERSION + " does"
                    : null;
        }
        if (headers.version() == null) {
            return McpHeaders.VERSION + " is missing, params._meta names a protocol version";
        }
        return message.version().equals(headers.version())
                ? null
                : McpHeaders.VERSION + " and params._meta name different protocol versions";
    }

    private static @Nullable String methodMismatch(
            Message message, McpHeaders headers, Revision revision) {
        if (headers.method() == null) {
            return required(message, revision) ? McpHeaders.METHOD + " is missing" : null;
        }
        return message.kind() == Message.Kind.RESPONSE || message.method().equals(headers.method())
                ? null
                : McpHeaders.METHOD + " is not the method of the body";
    }

    private static @Nullable String nameMismatch(
            Message message, McpHeaders headers, Revision revision) {
        String mirrored = RpcMethods.mirrored(message);
        if (mirrored == null) {
            return null;
        }
        if (headers.name() == null) {
            return required(message, revision) ? McpHeaders.NAME + " is missing" : null;
        }
        return mirrored.equals(Mirrored.decode(headers.name()))
                ? null
                : McpHeaders.NAME + " is not the name or URI of the body";
    }

    private static boolean required(Message message, Revision revision) {
        return revision.stateless() && message.kind() == Message.Kind.REQUEST;
    }

    /** What is wrong with messages that come together, or null. */
    static @Nullable RpcFault batchFault(List<Message> messages, Revision revision) {
        if (!revision.batches()) {
            return invalid("batches are not part of protocol revision " + revision.text());
        }
        for (int i = 0; i < messages.size(); i++) {
            if (messages.get(i).method().equals(RpcMethods.INITIALIZE)) {
                return invalid("initialize must not be part of a batch");
            }
            for (int j = 0; j < i; j++) {
                if (sameRequest(messages.get(j), messages.get(i))) {
                    return invalid("two requests of the batch have the same id");
                }
            }
        }
        return null;
    }

    private static boolean sameRequest(Message one, Message other) {
        return one.kind() == Message.Kind.REQUEST
                && other.kind() == Message.Kind.REQUEST
                && Arrays.equals(one.id(), other.id());
    }

    private static RpcFault invalid(String reason) {
        return new RpcFault(RpcError.INVALID_REQUEST, reason);
    }
}
