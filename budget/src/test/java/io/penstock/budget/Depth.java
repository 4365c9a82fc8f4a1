package io.penstock.budget;

/** How deep the tests go: {@code penstock test --full} repeats what is drawn or takes long. */
public final class Depth {
    /** Whether this is the long run. */
    public static final boolean FULL = Boolean.getBoolean("penstock.full");

    private Depth() {}

    /**
     * How many times to do something.
     *
     * @param property overrules both, for whoever looks for something
     */
    public static int of(String property, int usual, int full) {
        return Integer.getInteger(property, FULL ? full : usual);
    }
}
