package io.penstock.cluster.schema;

/** How a database's schema compares with the one this program was built for. */
public sealed interface SchemaState {

    /** The database answered, and there is no schema of ours. */
    record Absent(int expected) implements SchemaState {}

    /** As expected. */
    record Current(int version) implements SchemaState {}

    /** Behind this program: migrate before it serves. */
    record Older(int found, int expected) implements SchemaState {}

    /**
     * Ahead of this program.
     *
     * @param compatible whether it says that a program of this version may go on; else it must not
     */
    record Newer(int found, int expected, boolean compatible) implements SchemaState {}

    /** Whether a replica may serve with it. */
    default boolean usable() {
        return switch (this) {
            case Absent _, Older _ -> false;
            case Current _ -> true;
            case Newer newer -> newer.compatible();
        };
    }
}
