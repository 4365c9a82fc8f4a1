package io.penstock.gateway.call;

import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.upstream.Upstream;

/** A server that calls can go to: how it is configured here, and the way to it. */
public record Target(ServerConfig config, Upstream upstream) {}
