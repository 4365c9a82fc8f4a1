package io.penstock.architecture.bad.gateway.door;

/** What the others refer to. */
public final class Door {}
