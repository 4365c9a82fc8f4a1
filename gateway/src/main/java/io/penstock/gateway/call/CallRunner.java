package io.penstock.gateway.call;

import io.penstock.gateway.http.Reply;

/** Takes a call and sees it through to its answer. */
@FunctionalInterface
public interface CallRunner {

    /**
     * Answers through {@code reply}, with the upstream's answer or a refusal, before it returns.
     */
    void run(Call call, Reply reply);
}
