package io.penstock.cli;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.gateway.config.DatabaseSection.Login;
import io.penstock.gateway.config.Secret;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

/** Who gives the command, and how it reaches the cluster. */
final class Operator {
    private Operator() {}

    /** The way into the cluster's database that the options name. */
    static DatabaseConfig database(ConnectionOptions options, Map<String, String> environment) {
        ConnectionOptions.Target target = options.target(environment);
        Login login = target.login();
        Secret password = login == null ? null : login.password();
        return new DatabaseConfig(
                target.url(),
                login == null ? "" : login.user(),
                password == null ? null : password.value(),
                target.poolSize());
    }

    static Connector connector(ConnectionOptions options, Map<String, String> environment) {
        return new Connector(database(options, environment));
    }

    /** For the journal: user and machine. The database notes its own login besides. */
    static String actor() {
        String user = System.getProperty("user.name", "unknown");
        try {
            return user + "@" + InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return user;
        }
    }
}
