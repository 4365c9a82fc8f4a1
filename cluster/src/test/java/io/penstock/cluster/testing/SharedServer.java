package io.penstock.cluster.testing;

import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one server of a test JVM: the one that {@code PENSTOCK_TEST_DATABASE_URL} names, else a
 * container where a Docker engine answers and has the image, else an embedded one. It ends with the
 * JVM.
 */
final class SharedServer {
    private static final List<String> IMAGES =
            List.of(
                    "postgres:18",
                    "postgres:18-alpine",
                    "postgres:17",
                    "postgres:17-alpine",
                    "postgres:16",
                    "postgres:15");

    private static final class Holder {
        static final TestServer SERVER = start();
    }

    private SharedServer() {}

    static TestServer server() {
        return Holder.SERVER;
    }

    private static TestServer start() {
        String url = System.getenv("PENSTOCK_TEST_DATABASE_URL");
        if (url != null && !url.isBlank()) {
            announce("the database that PENSTOCK_TEST_DATABASE_URL names");
            return new TestServer(
                    new DatabaseConfig(
                            url,
                            environment("PENSTOCK_TEST_DATABASE_USER", "postgres"),
                            environment("PENSTOCK_TEST_DATABASE_PASSWORD", ""),
                            DatabaseConfig.POOL_SIZE));
        }
        String image = localImage();
        if (image != null) {
            DatabaseConfig superuser = PostgresContainer.start(image);
            if (superuser != null) {
                announce("a container of " + image + ", by Testcontainers");
                return new TestServer(superuser);
            }
        }
        EmbeddedPostgres embedded = EmbeddedPostgres.start(EmbeddedOptions.temporary());
        announce("the embedded one on port " + embedded.port());
        return new TestServer(embedded.owner());
    }

    private static void announce(String which) {
        System.out.println("Postgres of this test run: " + which);
    }

    private static String environment(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null ? otherwise : value;
    }

    /**
     * Asked through the command, which answers at once where the library tries for minutes. From
     * within a container the library asks a container of an image of its own how to reach the
     * engine's, which is minutes again where that image cannot be pulled: there somebody must say
     * it.
     */
    private static @Nullable String localImage() {
        if (Files.exists(Path.of("/.dockerenv"))
                && System.getenv("TESTCONTAINERS_HOST_OVERRIDE") == null) {
            return null;
        }
        for (String image : IMAGES) {
            try {
                Process process =
                        new ProcessBuilder("docker", "image", "inspect", image)
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start();
                if (!process.waitFor(5, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    return null;
                }
                if (process.exitValue() == 0) {
                    return image;
                }
            } catch (IOException e) {
                return null;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
        return null;
    }
}
