package io.penstock.architecture.bad.one;

/** An exception without a meaning. */
final class Vague {
    void fail() {
        throw new RuntimeException("something");
    }
}
