package io.penstock.gateway.identity;

/** Who makes a request. */
public sealed interface Identity {

    /** A known agent of a tenant. */
    record Agent(String tenant, String agent) implements Identity {}

    /**
     * Nobody we know.
     *
     * @param presented whether a credential was there and did not do
     * @param reason one clause for the caller; never repeats the credential
     */
    record Unknown(boolean presented, String reason) implements Identity {}
}
