package io.penstock.cluster.testing;

import io.penstock.cluster.postgres.DatabaseConfig;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.ContainerFetchException;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A Postgres that Testcontainers starts; the only class that needs that library to be there. */
final class PostgresContainer {
    private PostgresContainer() {}

    /** Its superuser; null, and said why, where it does not start. */
    static @Nullable DatabaseConfig start(String image) {
        try {
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
        } catch (ContainerLaunchException | ContainerFetchException | IllegalStateException e) {
            System.out.println("no container of " + image + ": " + e);
            return null;
        }
    }
}
