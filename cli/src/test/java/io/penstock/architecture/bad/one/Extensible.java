package io.penstock.architecture.bad.one;

/** Open for surprises. */
class Extensible {}
