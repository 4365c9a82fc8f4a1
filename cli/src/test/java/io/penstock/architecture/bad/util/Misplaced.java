package io.penstock.architecture.bad.util;

/** A package that says nothing. */
record Misplaced() {}
