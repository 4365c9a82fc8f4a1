package io.penstock.gateway.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Reads files that are part of the program. */
final class Resources {
    private Resources() {}

    static byte[] read(String name) {
        try (InputStream in = Resources.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its file " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the program's file " + name, e);
        }
    }
}
