package io.penstock.architecture.bad.one;

/** State that outlives every owner. */
final class Remembering {
    static int last;

    private Remembering() {}
}
