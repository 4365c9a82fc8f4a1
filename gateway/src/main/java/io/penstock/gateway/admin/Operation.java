package io.penstock.gateway.admin;

import org.jspecify.annotations.Nullable;

/**
 * What the admin plane answers to; {@code openapi.json} describes the same, which a test checks.
 */
enum Operation {
    INDEX("GET", "/", null),
    LIVE("GET", "/health/live", null),
    READY("GET", "/health/ready", null),
    ADMIT("GET", "/health/admit", null),
    METRICS("GET", "/metrics", null),
    DESCRIPTION("GET", "/v1/openapi.json", null),
    STATUS("GET", "/v1/status", Role.VIEW),
    STOPS("GET", "/v1/stops", Role.VIEW),
    GIVE_STOP("POST", "/v1/stops", Role.STOP),
    LIFT_STOP("DELETE", "/v1/stops/{id}", Role.VIEW),
    BUDGETS("GET", "/v1/budgets", Role.VIEW),
    EXPLAIN("GET", "/v1/budgets/explain", Role.VIEW),
    HOLDS("GET", "/v1/budgets/holds", Role.VIEW),
    RESET_BUDGET("POST", "/v1/budgets/{name}/reset", Role.VIEW),
    BLOCKS("GET", "/v1/blocks", Role.VIEW),
    GIVE_BLOCK("POST", "/v1/blocks", Role.OPERATE),
    END_BLOCK("DELETE", "/v1/blocks/{tenant}/{agent}", Role.VIEW),
    REVISIONS("GET", "/v1/revisions", Role.VIEW);

    private final String method;
    private final String path;
    private final @Nullable Role role;
    private final String[] segments;

    Operation(String method, String path, @Nullable Role role) {
        this.method = method;
        this.path = path;
        this.role = role;
        segments = path.split("/", -1);
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    /** Least role that may, or null where no token is needed. */
    @Nullable Role role() {
        return role;
    }

    /** Whether the path is this one's; a variable stands for one segment that is not empty. */
    boolean at(String candidate) {
        String[] parts = candidate.split("/", -1);
        if (parts.length != segments.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            boolean variable = segments[i].startsWith("{");
            if (variable ? parts[i].isEmpty() : !parts[i].equals(segments[i])) {
                return false;
            }
        }
        return true;
    }
}
