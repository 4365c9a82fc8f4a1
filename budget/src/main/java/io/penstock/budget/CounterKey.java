package io.penstock.budget;

/**
 * Names a counter in the ledger.
 *
 * <p>A key is {@code [shadow/]LEN:NAME UNIT WINDOW part*} without the spaces; a part is a letter
 * for its dimension and one or two values, each after its length. Lengths count code points, as
 * Postgres does, and make every key readable in one way only: an agent that calls itself {@code
 * b8:x} meets nobody else's counter. The revision is not in the key, so applying a configuration
 * again refills nothing.
 *
 * <p>Agents are unique within their tenant and tools within their server, so those parts carry
 * both. A session's part carries its agent; a call without a session counts as its agent.
 */
final class CounterKey {
    static final String SHADOW = "shadow/";

    private CounterKey() {}

    static String of(Budget budget, Subject subject, boolean shadow) {
        StringBuilder key = new StringBuilder(96);
        if (shadow) {
            key.append(SHADOW);
        }
        value(key, budget.name());
        key.append(budget.unit().code()).append(budget.window().spec());
        for (Dimension dimension : Dimension.values()) {
            if (budget.per().contains(dimension)) {
                part(key, dimension, subject);
            }
        }
        return key.toString();
    }

    private static void part(StringBuilder key, Dimension dimension, Subject subject) {
        switch (dimension) {
            case TENANT -> value(key.append('t'), subject.tenant());
            case AGENT -> agent(key.append('a'), subject);
            case SERVER -> value(key.append('s'), subject.server());
            case TOOL -> {
                value(key.append('o'), subject.server());
                value(key, subject.tool());
            }
            case SESSION -> session(key.append('n'), subject);
        }
    }

    private static void agent(StringBuilder key, Subject subject) {
        value(key, subject.tenant());
        value(key, subject.agent());
    }

    /** Without a session its value is empty, which no session's own name is. */
    private static void session(StringBuilder key, Subject subject) {
        agent(key, subject);
        value(key, subject.session() == null ? "" : subject.session());
    }

    private static void value(StringBuilder key, String value) {
        key.append(value.codePointCount(0, value.length())).append(':').append(value);
    }
}
