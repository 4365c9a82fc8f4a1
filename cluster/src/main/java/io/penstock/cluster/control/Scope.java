package io.penstock.cluster.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.budget.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Which calls a stop matches.
 *
 * <p>Written as a kind and a value: {@code all}, {@code tenant T}, {@code agent T/A}, {@code server
 * S}, {@code tool S/T}. The pairs split at the first slash, because an agent's and a tool's name
 * may hold more.
 */
public sealed interface Scope {
    /** Longest value in bytes: two names and the slash. */
    int VALUE_BYTES_MAX = 512;

    /** Whether a call of this subject falls under the scope. */
    boolean matches(Subject subject);

    /** The word that stands in the database and on the command line. */
    String kind();

    /** What stands behind the kind; null for all. */
    @Nullable String value();

    /** For people: {@code all} or {@code agent acme/crawler}. */
    default String text() {
        return value() == null ? kind() : kind() + " " + value();
    }

    /**
     * The scope that an operator asked for.
     *
     * @throws IllegalArgumentException naming what is wrong
     */
    static Scope parse(String kind, @Nullable String value) {
        Scope scope = read(kind, value);
        if (scope instanceof Unknown) {
            throw new IllegalArgumentException(
                    switch (kind) {
                        case "all" -> "scope all takes no value, got '" + value + "'";
                        case "tenant", "server" -> "scope " + kind + " needs a name";
                        case "agent" -> "scope agent needs TENANT/AGENT, got '" + value + "'";
                        case "tool" -> "scope tool needs SERVER/TOOL, got '" + value + "'";
                        default ->
                                "unknown scope '"
                                        + kind
                                        + "': all, tenant, agent, server or tool are known";
                    });
        }
        return scope;
    }

    /** The scope as it was recorded; what cannot be understood matches everything. */
    static Scope read(String kind, @Nullable String value) {
        if (kind.equals("all")) {
            return value == null ? new All() : new Unknown(kind, value);
        }
        if (value == null
                || value.isEmpty()
                || value.indexOf('\0') >= 0
                || value.getBytes(UTF_8).length > VALUE_BYTES_MAX) {
            return new Unknown(kind, value);
        }
        int slash = value.indexOf('/');
        boolean pair = slash > 0 && slash < value.length() - 1;
        return switch (kind) {
            case "tenant" -> new Tenant(value);
            case "server" -> new Server(value);
            case "agent" ->
                    pair
                            ? new Agent(value.substring(0, slash), value.substring(slash + 1))
                            : new Unknown(kind, value);
            case "tool" ->
                    pair
                            ? new Tool(value.substring(0, slash), value.substring(slash + 1))
                            : new Unknown(kind, value);
            default -> new Unknown(kind, value);
        };
    }

    /** Every call. */
    record All() implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return true;
        }

        @Override
        public String kind() {
            return "all";
        }

        @Override
        public @Nullable String value() {
            return null;
        }
    }

    /** Every call of one tenant's agents. */
    record Tenant(String tenant) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.tenant().equals(tenant);
        }

        @Override
        public String kind() {
            return "tenant";
        }

        @Override
        public String value() {
            return tenant;
        }
    }

    /** Every call of one agent. */
    record Agent(String tenant, String agent) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.tenant().equals(tenant) && subject.agent().equals(agent);
        }

        @Override
        public String kind() {
            return "agent";
        }

        @Override
        public String value() {
            return tenant + "/" + agent;
        }
    }

    /** Every call to one server. */
    record Server(String server) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.server().equals(server);
        }

        @Override
        public String kind() {
            return "server";
        }

        @Override
        public String value() {
            return server;
        }
    }

    /** Every call to one tool of one server. */
    record Tool(String server, String tool) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.server().equals(server) && subject.tool().equals(tool);
        }

        @Override
        public String kind() {
            return "tool";
        }

        @Override
        public String value() {
            return server + "/" + tool;
        }
    }

    /**
     * A kind that only a later version knows: matches everything, so that a stop is never missed.
     */
    record Unknown(String kind, @Nullable String value) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return true;
        }
    }
}
