package io.penstock.gateway.mcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a body was found to be. */
sealed interface Reading {

    /** One message. */
    record Single(Message message) implements Reading {}

    /** An array of 1 or more messages. */
    record Batch(List<Message> messages) implements Reading {
        public Batch {
            messages = List.copyOf(messages);
        }
    }

    /**
     * Nothing that may be judged, so nothing that may be forwarded.
     *
     * @param code a JSON-RPC error code
     * @param id the request's id as written, where it was read before the fault was found
     */
    record Refused(int code, String reason, byte @Nullable [] id) implements Reading {}
}
