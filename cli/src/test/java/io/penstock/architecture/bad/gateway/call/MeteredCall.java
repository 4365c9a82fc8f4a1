package io.penstock.architecture.bad.gateway.call;

import io.micrometer.core.instrument.Counter;

/** A meter in the call path. */
record MeteredCall(Counter counter) {}
