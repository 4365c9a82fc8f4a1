package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.up.RunningUp;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.DatabaseSection;
import io.penstock.gateway.config.DatabaseSection.Login;
import io.penstock.gateway.config.Problem;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.Secret;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Which cluster a command means, and with whose credential. First of: {@code --database}, {@code
 * --config}, {@code PENSTOCK_DATABASE_URL}, {@code PENSTOCK_CONFIG}, a {@code penstock up} that
 * runs on this machine.
 */
final class ConnectionOptions {
    @Option(
            names = "--database",
            paramLabel = "URL",
            description = "JDBC URL of the cluster's Postgres (PENSTOCK_DATABASE_URL).")
    @Nullable String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Login role, an operator's.")
    @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "Its password, in the first line (otherwise PGPASSWORD).")
    @Nullable Path passwordFile;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Take URL and login from this configuration (PENSTOCK_CONFIG).")
    @Nullable Path config;

    /**
     * What to connect to, and where that was found.
     *
     * @param poolSize what each replica is told, which {@code doctor} counts with
     */
    record Target(String url, @Nullable Login login, int poolSize, String source) {
        Target(String url, @Nullable Login login, String source) {
            this(url, login, DatabaseConfig.POOL_SIZE, source);
        }
    }

    Target target(Map<String, String> environment) {
        Target base = base(environment);
        String name = user != null ? user : base.login() == null ? null : base.login().user();
        if (name == null) {
            return base;
        }
        Secret password = password(environment);
        if (password == null && base.login() != null && name.equals(base.login().user())) {
            password = base.login().password();
        }
        return new Target(base.url(), new Login(name, password), base.poolSize(), base.source());
    }

    private Target base(Map<String, String> environment) {
        if (url != null) {
            return new Target(url, null, "--database");
        }
        if (config != null) {
            return fromFile(config, environment, "--config " + config);
        }
        String variable = environment.get("PENSTOCK_DATABASE_URL");
        if (variable != null && !variable.isEmpty()) {
            return new Target(variable, null, "PENSTOCK_DATABASE_URL");
        }
        String file = environment.get("PENSTOCK_CONFIG");
        if (file != null && !file.isEmpty()) {
            return fromFile(Path.of(file), environment, "PENSTOCK_CONFIG " + file);
        }
        Optional<RunningUp> running = RunningUp.find(RunningUp.folder(environment));
        return running.map(
                        up ->
                                new Target(
                                        up.databaseUrl(),
                                        new Login(up.user(), new Secret(up.password())),
                                        "penstock up, process " + up.pid()))
                .orElseThrow(
                        () ->
                                CommandFailure.usage(
                                        "which cluster? Give --database URL or --config FILE, set"
                                                + " PENSTOCK_DATABASE_URL or PENSTOCK_CONFIG, or"
                                                + " start one here with: penstock up"));
    }

    private static Target fromFile(Path file, Map<String, String> environment, String source) {
        return switch (ConfigFile.readDatabase(file, environment::get)) {
            case Reading.Invalid<DatabaseSection> invalid ->
                    throw CommandFailure.failed(
                            invalid.problems().stream()
                                    .map(Problem::toString)
                                    .collect(Collectors.joining("\n")));
            case Reading.Valid<DatabaseSection> valid -> {
                DatabaseSection database = valid.value();
                if (database.embedded()) {
                    throw CommandFailure.failed(
                            file + ": database.url is embedded: only penstock up can reach that");
                }
                Login login = database.operator() != null ? database.operator() : database.login();
                yield new Target(database.url(), login, database.poolSize(), source);
            }
        };
    }

    private @Nullable Secret password(Map<String, String> environment) {
        if (passwordFile != null) {
            return ServeOptions.passwordOf(passwordFile);
        }
        String variable = environment.get("PGPASSWORD");
        return variable == null ? null : new Secret(variable);
    }
}
