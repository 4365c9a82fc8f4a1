package io.penstock.cluster.testing;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.schema.Logins;
import io.penstock.cluster.schema.Migrations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Postgres server that hands out databases.
 *
 * <p>The schema is made once, in a database that later ones are copied from. Its owner is no
 * superuser, so that a migration that needs one fails here and not at somebody's site.
 */
public final class TestServer {
    private static final String OWNER = "penstock_test_owner";
    private static final String GATEWAY = "penstock_test_gateway";
    private static final String OPERATOR = "penstock_test_operator";
    private static final String PASSWORD = "only-for-tests";

    private final DatabaseConfig superuser;
    private final String prefix = "penstock_test_" + ProcessHandle.current().pid() + "_";
    private final AtomicInteger made = new AtomicInteger();
    private boolean templated;

    /** A server that somebody else started; its superuser, on any database. */
    public TestServer(DatabaseConfig superuser) {
        this.superuser = superuser;
        execute(
                superuser,
                "do $$ begin create role "
                        + OWNER
                        + " login createrole; exception when"
                        + " duplicate_object or unique_violation then null; end $$");
        execute(superuser, "alter role " + OWNER + " password '" + PASSWORD + "'");
    }

    /** A new database with the schema in it. */
    public TestDatabase fresh() {
        String template = template();
        String name = prefix + made.incrementAndGet();
        execute(superuser, "create database " + name + " template " + template + " owner " + OWNER);
        // A copy does not take over the rights on the database that its template has.
        execute(superuser, "revoke temporary, create on database " + name + " from public");
        return database(name);
    }

    /** A new database with nothing in it. */
    public TestDatabase empty() {
        String name = prefix + made.incrementAndGet();
        execute(superuser, "create database " + name + " template template0 owner " + OWNER);
        return database(name);
    }

    private synchronized String template() {
        String name = prefix + "template";
        if (!templated) {
            execute(superuser, "drop database if exists " + name + " with (force)");
            execute(superuser, "create database " + name + " template template0 owner " + OWNER);
            Migrations.migrate(config(name, OWNER));
            logins();
            templated = true;
        }
        return name;
    }

    private void logins() {
        try {
            Logins.ensure(superuser, GATEWAY, PASSWORD, Logins.Group.GATEWAY);
            Logins.ensure(superuser, OPERATOR, PASSWORD, Logins.Group.OPERATOR);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot make the test logins", e);
        }
    }

    private TestDatabase database(String name) {
        return new TestDatabase(
                this,
                name,
                config(name, OWNER),
                config(name, GATEWAY),
                config(name, OPERATOR),
                on(name));
    }

    private DatabaseConfig config(String database, String user) {
        return on(database).as(user, PASSWORD);
    }

    private DatabaseConfig on(String database) {
        String url = superuser.url();
        int query = url.indexOf('?');
        String parameters = query < 0 ? "" : url.substring(query);
        String address = superuser.address();
        String host = address.substring(0, address.lastIndexOf('/') + 1);
        return new DatabaseConfig(
                host + database + parameters,
                superuser.user(),
                superuser.password(),
                superuser.poolSize());
    }

    void drop(String name) {
        execute(superuser, "drop database if exists " + name + " with (force)");
    }

    private static void execute(DatabaseConfig config, String sql) {
        try (Connection connection = new Connector(config).open(Purpose.MIGRATE);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
