package io.penstock.cluster.doctor;

/**
 * What the cluster is meant to be.
 *
 * @param replicas how many replicas there will be; 0 to take those that are there, one at least
 * @param lanes of each, at most
 */
public record Expectations(int replicas, int lanes) {
    /** Where nothing is known. */
    public static final Expectations NONE = new Expectations(0, 4);

    /** Lanes, listen, lease, journal, and the pool. */
    int connectionsEach(int poolSize) {
        return lanes + 3 + poolSize;
    }
}
