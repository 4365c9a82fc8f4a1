package io.penstock.gateway.identity;

import io.penstock.gateway.http.HeaderBlock;

/**
 * Believes the headers {@code Penstock-Tenant} and {@code Penstock-Agent}: for networks where
 * something in front sets them, or nobody needs to be kept apart.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class OpenHeaders implements Identification {
    private static final String TENANT = "Penstock-Tenant";
    private static final String AGENT = "Penstock-Agent";

    @Override
    public Identity identify(HeaderBlock headers) {
        String tenant = headers.first(TENANT);
        String agent = headers.first(AGENT);
        boolean presented = tenant != null || agent != null;
        if (tenant == null || agent == null) {
            return new Identity.Unknown(presented, TENANT + " and " + AGENT + " are both needed");
        }
        if (headers.count(TENANT) > 1 || headers.count(AGENT) > 1) {
            return new Identity.Unknown(true, "a name is given twice");
        }
        String decoded = StrictUtf8.decodeHeader(agent);
        if (!Names.plain(tenant) || decoded == null || !Names.printable(decoded)) {
            return new Identity.Unknown(true, "that is no name for a tenant or an agent");
        }
        return new Identity.Agent(tenant, decoded);
    }
}
