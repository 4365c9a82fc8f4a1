package io.penstock.cluster.control;

/**
 * The database's answer to a beat.
 *
 * @param fenced this incarnation's row is fenced or closed
 * @param cluster made once with the schema, the same in every copy of the database
 * @param leaseMillis the cluster's lease P
 * @param databaseMicros database time after the row was written, microseconds since 1970
 */
record BeatReply(
        boolean fenced,
        String cluster,
        int leaseMillis,
        long systemIdentifier,
        String timeline,
        int backendPid,
        long databaseMicros) {}
