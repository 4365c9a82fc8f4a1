package io.penstock.cluster.model;

/** A step of the protocol that a broken variant leaves out, or does too early. */
enum DroppedStep {
    /** Section 2: trust counts from the answer, not from before the request. */
    LEASE_FROM_THE_ANSWER,
    /** Section 2: the state is read before the beat is committed. */
    READ_BEFORE_THE_BEAT,
    /** Section 2: any read extends the lease. */
    LISTEN_EXTENDS_THE_LEASE,
    /** Section 2: an older read is installed over a newer state. */
    OLDER_READ_INSTALLED,
    /** Section 2: the lease is extended, the newer state that was read is not installed. */
    TRUST_WITHOUT_INSTALL,
    /** Section 2: a replica trusts as long as an operator waits. */
    NO_MARGIN,
    /** Section 2: a replica opens before its first beat. */
    BOOT_OPEN,
    /** Section 2: a beat whose row is fenced grants a lease. */
    FENCED_TRUSTS,
    /** Section 2: wall clock and monotonic clock are not compared. */
    SUSPENSION_UNSEEN,
    /** Section 2: a lower epoch is taken for no news. */
    LOWER_EPOCH_TRUSTED,
    /** Section 2: a read that failed is taken for a state without stops. */
    FAILED_READ_IS_EMPTY,
    /** Section 2: the operator waits the cluster's lease, not the largest of the rows. */
    WAITS_THE_PRESENT_LEASE,
    /** Section 2: a row names the cluster's lease, not the one that is still trusted by. */
    ROW_NAMES_THE_PRESENT_LEASE,
    /** Section 3: the lease is checked on the present state, the stops on the section's. */
    RENEWED_LEASE_COVERS_OLDER_CHECK,
    /** Section 3: a send section may last. */
    SECTION_WITHOUT_END,
    /** Section 3: a retry is sent without a section of its own. */
    RETRY_WITHOUT_SECTION,
    /** Section 3: a chunk of an open stream is passed on without a lease. */
    STREAM_WITHOUT_LEASE,
    /** Section 3: the lease returns before what is open was judged by the newer state. */
    TRUSTED_BEFORE_CUT,
    /** Section 4: an order whose outcome is unknown counts as recorded. */
    UNKNOWN_IS_RECORDED,
    /** Section 4: a repeat only looks whether the stop is there. */
    REPEAT_ONLY_READS,
    /** Section 4: the epoch is raised in a transaction of its own. */
    EPOCH_APART,
    /** Section 4: epochs come from a sequence. */
    EPOCH_FROM_SEQUENCE,
    /** Section 4: replicas are listed before the stop is committed. */
    LISTED_BEFORE_COMMIT,
    /** Section 4: the wait counts from when the order was sent. */
    WAIT_FROM_THE_ORDER,
    /** Section 4: silent replicas count as fenced at once. */
    FENCED_WITHOUT_WAIT,
    /** Section 4: fenced by the database's clock, which may step. */
    FENCED_BY_DATABASE_CLOCK,
    /** Section 4: any process of that name acknowledges for all of them. */
    ACKNOWLEDGED_BY_NAME,
    /** Section 4: an acknowledgement of an older epoch counts. */
    ACKNOWLEDGED_ANY_EPOCH,
    /** Section 4: what was read is acknowledged, then installed. */
    ACKNOWLEDGED_BEFORE_INSTALL,
    /** Section 4: sends under older states are not waited for. */
    ACKNOWLEDGED_BEFORE_QUIET,
    /** Section 4: what is open is not cut before the acknowledgement. */
    ACKNOWLEDGED_BEFORE_CUT,
    /** Section 4: lifts what has the same scope. */
    RESUMED_BY_SCOPE,
    /** Section 4: {@code resume --all} lifts what holds when it commits. */
    RESUMED_UNLISTED,
    /** Section 5: a commit with a warning counts as recorded. */
    WARNING_IS_SUCCESS,
    /** Section 5: an equal epoch of another server is taken for the same state. */
    SAME_EPOCH_OF_ANOTHER_SERVER,
    /** Section 5: what another server's connection has read is installed. */
    LISTENS_TO_ANOTHER_SERVER,
    /** Section 5: another server is told an epoch that was not read from it. */
    ACKNOWLEDGED_TO_ANOTHER_SERVER,
    /** Section 6: a row is closed while a send is being made. */
    CLOSED_BEFORE_QUIET,
    /** Section 6: the sweeper closes a row as soon as it is fenced. */
    CLOSED_WITHOUT_WAIT
}
