package io.penstock.cluster.control;

/** What the control state says of one call. */
public sealed interface Judgement {

    /** Nothing stands against it. */
    Clear CLEAR = new Clear();

    /** The control state is not known freshly enough to say. */
    Stale STALE = new Stale();

    record Clear() implements Judgement {}

    record Stale() implements Judgement {}

    record Stopped(Stop stop) implements Judgement {}

    record Blocked(Block block) implements Judgement {}
}
