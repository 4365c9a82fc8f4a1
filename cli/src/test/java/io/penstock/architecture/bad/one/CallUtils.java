package io.penstock.architecture.bad.one;

/** A name that says nothing. */
record CallUtils() {}
