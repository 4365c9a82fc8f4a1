package io.penstock.gateway.socket;

/** Pollers for tests that do not care which. */
public final class TestPollers {
    public static final Pollers SHARED = new Pollers();

    private TestPollers() {}
}
