package io.penstock.cluster.testing;

import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The one server of a test JVM: the one that {@code PENSTOCK_TEST_DATABASE_URL} names, else a
 * container where a Docker engine answers and has the image, else an embedded one. It ends with the
 * JVM.
 */
final class SharedServer {
    private static final List<String> IMAGES =
            List.of("postgres:18", "postgres:18-alpine", "postgres:17", "postgres:17-alpine");

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
            announce("a container of " + image);
            return new TestServer(container(image));
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

    private static DatabaseConfig container(String image) {
        PostgreSQLContainer container =
                new PostgreSQLContainer(
                        DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"));
        container.withCommand("postgres", "-c", "max_connections=200");
        container.start();
        Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
        return new DatabaseConfig(
                container.getJdbcUrl(),
                container.getUsername(),
                container.getPassword(),
                DatabaseConfig.POOL_SIZE);
    }

    /** Asked through the command, which answers at once where the library tries for minutes. */
    private static @Nullable String localImage() {
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
