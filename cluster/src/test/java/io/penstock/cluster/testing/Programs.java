package io.penstock.cluster.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Programs of others that tests need. Where one is missing, its tests are skipped; with {@code
 * PENSTOCK_TEST_STRICT=true}, as in CI, they fail.
 */
public final class Programs {
    private static final boolean STRICT =
            Boolean.parseBoolean(System.getenv("PENSTOCK_TEST_STRICT"));

    private Programs() {}

    /**
     * Whether it is there.
     *
     * @throws AssertionError where it is not and must be
     */
    public static boolean installed(String debianPackage, Path program) {
        boolean there = Files.isReadable(program);
        if (!there && STRICT) {
            throw new AssertionError(program + " is missing: apt-get install " + debianPackage);
        }
        return there;
    }
}
