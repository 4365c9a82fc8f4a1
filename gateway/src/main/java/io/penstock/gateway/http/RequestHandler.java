package io.penstock.gateway.http;

/** Answers requests; one call, one answer. */
@FunctionalInterface
public interface RequestHandler {

    /**
     * Answers through {@code reply} before it returns. Runs on the request's own virtual thread.
     */
    void handle(InboundRequest request, Reply reply);
}
