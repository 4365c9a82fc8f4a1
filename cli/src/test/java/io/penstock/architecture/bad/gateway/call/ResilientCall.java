package io.penstock.architecture.bad.gateway.call;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;

/** A circuit breaker in the call path. */
record ResilientCall(CircuitBreaker breaker) {}
