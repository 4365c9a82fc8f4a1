package io.penstock.architecture.bad.two;

import io.penstock.architecture.bad.one.CycleOne;

/** The other half. */
public record CycleTwo(CycleOne other) {}
