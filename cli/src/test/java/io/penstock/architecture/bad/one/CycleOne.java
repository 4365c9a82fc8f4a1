package io.penstock.architecture.bad.one;

import io.penstock.architecture.bad.two.CycleTwo;

/** Half of a cycle of packages. */
public record CycleOne(CycleTwo other) {}
