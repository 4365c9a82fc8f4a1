package io.penstock.architecture.bad.one;

import java.io.IOException;

/** A sealed result that also throws. */
public final class Thrower {
    public Outcome attempt() throws IOException {
        throw new IOException("no");
    }
}
