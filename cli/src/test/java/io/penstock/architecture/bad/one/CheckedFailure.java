package io.penstock.architecture.bad.one;

/** A checked exception of our own. */
final class CheckedFailure extends Exception {
    private static final long serialVersionUID = 1;
}
