package io.penstock.cluster.testing;

import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import java.nio.file.Path;

/**
 * Debian's Postgres 15, the oldest version that is supported, on a port of its own; one for each
 * test JVM. Tests against it are for machines that have it: {@link #available}.
 */
public final class DebianPostgres15 {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");

    private static final class Holder {
        static final EmbeddedPostgres POSTGRES =
                EmbeddedPostgres.start(EmbeddedOptions.temporary(), PROGRAMS);
        static final TestServer SERVER = new TestServer(POSTGRES.owner());
    }

    private DebianPostgres15() {}

    /** Whether this machine has it. */
    public static boolean available() {
        return Programs.installed("postgresql-15", PROGRAMS.resolve("initdb"));
    }

    /** A new database with the schema. */
    public static TestDatabase fresh() {
        return Holder.SERVER.fresh();
    }

    /** A server of its own, for a test that stops or kills it. */
    public static EmbeddedPostgres start(EmbeddedOptions options) {
        return EmbeddedPostgres.start(options, PROGRAMS);
    }
}
