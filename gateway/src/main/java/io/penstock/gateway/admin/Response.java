package io.penstock.gateway.admin;

import io.penstock.gateway.http.Reply;

/** What a request is answered with: at once, or line by line while it happens. */
@FunctionalInterface
interface Response {
    void send(Reply reply);
}
