package io.penstock.architecture.bad.one;

/** Inherits behaviour. */
final class Inheriting extends Extensible {}
