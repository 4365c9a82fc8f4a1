package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.gateway.config.DatabaseSection;
import io.penstock.gateway.config.DatabaseSection.Login;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.ReplicaConfig;
import io.penstock.gateway.config.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What differs between replicas that share a configuration file. */
final class ServeOptions {
    private static final Pattern ADDRESS =
            Pattern.compile("\\[?([0-9A-Za-z:._-]+?)\\]?:([0-9]{1,5})");
    private static final int PORT_MAX = 65_535;

    @Option(names = "--replica", paramLabel = "NAME", description = "Name, instead of `replica`.")
    @Nullable String replica;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where agents call, instead of `listen`.")
    @Nullable String listen;

    @Option(names = "--share", description = "Share that port with other replicas.")
    boolean share;

    @Option(
            names = "--admin-listen",
            paramLabel = "HOST:PORT",
            description = "Admin plane, instead of `admin.listen`.")
    @Nullable String adminListen;

    @Option(
            names = "--database",
            paramLabel = "URL",
            description = "JDBC URL, instead of `database.url`.")
    @Nullable String database;

    @Option(names = "--user", paramLabel = "NAME", description = "Login, instead of `user`.")
    @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "Its password (otherwise PGPASSWORD).")
    @Nullable Path passwordFile;

    /** The file's configuration with what the flags say instead. */
    ReplicaConfig over(ReplicaConfig file, Map<String, String> environment) {
        ListenConfig agents = address("--listen", listen, file.listen(), share);
        ListenConfig operators =
                address("--admin-listen", adminListen, file.admin().listen(), false);
        String name = replica == null ? name(file, agents, operators) : replica;
        if (!name.matches("[A-Za-z0-9._:-]{1,128}")) {
            throw CommandFailure.usage("--replica: letters, digits, . _ : - only, not " + name);
        }
        return file.at(name, agents, operators, database(file.database(), environment));
    }

    /** A name that the file leaves open ends in the port, which the flags may have changed. */
    private String name(ReplicaConfig file, ListenConfig agents, ListenConfig operators) {
        int port = file.listen().share() ? file.admin().listen().port() : file.listen().port();
        int other = agents.share() ? operators.port() : agents.port();
        return file.replica().endsWith(":" + port)
                ? file.replica().replaceAll("[0-9]+$", Integer.toString(other))
                : file.replica();
    }

    private static ListenConfig address(
            String flag, @Nullable String given, ListenConfig file, boolean share) {
        if (given == null) {
            return share ? new ListenConfig(file.host(), file.port(), true, file.tls()) : file;
        }
        Matcher address = ADDRESS.matcher(given);
        if (!address.matches() || Integer.parseInt(address.group(2)) > PORT_MAX) {
            throw CommandFailure.usage(flag + ": " + given + " is not host:port");
        }
        return new ListenConfig(
                address.group(1), Integer.parseInt(address.group(2)), share, file.tls());
    }

    private DatabaseSection database(DatabaseSection file, Map<String, String> environment) {
        if (database == null && user == null && passwordFile == null) {
            return file;
        }
        String url = database == null ? file.url() : database;
        if (!url.startsWith("jdbc:postgresql:")) {
            throw CommandFailure.usage("--database: must start with jdbc:postgresql:");
        }
        Login login = file.login();
        if (user != null) {
            login = new Login(user, password(environment));
        } else if (passwordFile != null && login != null) {
            login = new Login(login.user(), password(environment));
        }
        return new DatabaseSection(false, url, login, file.poolSize(), file.operator());
    }

    private @Nullable Secret password(Map<String, String> environment) {
        return passwordFile == null ? environmentPassword(environment) : passwordOf(passwordFile);
    }

    private static @Nullable Secret environmentPassword(Map<String, String> environment) {
        String variable = environment.get("PGPASSWORD");
        return variable == null ? null : new Secret(variable);
    }

    /** The first line of a password file. */
    static Secret passwordOf(Path file) {
        return firstLine("--password-file", file);
    }

    /**
     * The first line of a file that holds a secret.
     *
     * @param option that named the file
     */
    static Secret firstLine(String option, Path file) {
        try {
            return new Secret(Files.readString(file).lines().findFirst().orElse(""));
        } catch (IOException e) {
            throw new CommandFailure(2, option + " " + file + " cannot be read", e);
        }
    }
}
