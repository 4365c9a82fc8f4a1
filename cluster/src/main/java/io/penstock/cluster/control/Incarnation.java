package io.penstock.cluster.control;

import java.util.UUID;

/**
 * One life of a replica: each start, and each return after it was fenced, is a new one.
 *
 * @param replica the replica's name, which may live many times
 * @param id random, never used again
 */
public record Incarnation(String replica, UUID id) {
    public Incarnation {
        if (replica.isEmpty() || replica.length() > 256) {
            throw new IllegalArgumentException(
                    "a replica's name has 1 to 256 characters, got " + replica.length());
        }
    }

    @Override
    public String toString() {
        return replica + "/" + id;
    }
}
