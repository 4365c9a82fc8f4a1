package io.penstock.cluster.control;

import io.penstock.budget.Subject;

/** Which calls a stop matches. */
public sealed interface Scope {

    /** Whether a call of this subject falls under the scope. */
    boolean matches(Subject subject);

    /** Every call. */
    record All() implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return true;
        }
    }

    /** Every call of one tenant's agents. */
    record Tenant(String tenant) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.tenant().equals(tenant);
        }
    }

    /** Every call of one agent. */
    record Agent(String tenant, String agent) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.tenant().equals(tenant) && subject.agent().equals(agent);
        }
    }

    /** Every call to one server. */
    record Server(String server) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.server().equals(server);
        }
    }

    /** Every call to one tool of one server. */
    record Tool(String server, String tool) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return subject.server().equals(server) && subject.tool().equals(tool);
        }
    }

    /**
     * A kind that only a later version knows: matches everything, so that a stop is never missed.
     */
    record Unknown(String kind) implements Scope {
        @Override
        public boolean matches(Subject subject) {
            return true;
        }
    }
}
