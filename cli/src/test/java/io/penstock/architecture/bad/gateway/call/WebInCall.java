package io.penstock.architecture.bad.gateway.call;

import io.helidon.webserver.http.ServerRequest;

/** The web server in the call path. */
record WebInCall(ServerRequest request) {}
