package io.penstock.architecture.bad.one;

/** A sealed result. */
public sealed interface Outcome {
    /** Its only case. */
    record Fine() implements Outcome {}
}
