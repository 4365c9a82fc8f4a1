package io.penstock.architecture.bad.cluster;

import io.penstock.architecture.bad.gateway.door.Door;

/** A store that knows the gateway. */
record BackwardStore(Door door) {}
