package io.penstock.cluster.postgres;

/** The embedded Postgres, or the schema in a database, is not as it has to be; says what to do. */
public final class PostgresException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PostgresException(String message) {
        super(message);
    }

    public PostgresException(String message, Throwable cause) {
        super(message, cause);
    }
}
