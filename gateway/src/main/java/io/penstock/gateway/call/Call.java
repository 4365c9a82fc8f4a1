package io.penstock.gateway.call;

import io.penstock.budget.Subject;
import io.penstock.gateway.http.HeaderBlock;
import java.util.UUID;

/**
 * One request that an agent makes, understood.
 *
 * @param id unique; {@code Penstock-Call}
 * @param counted whether it is a call that budgets and the journal count; handshakes, lists, pings,
 *     notifications and client responses are not
 * @param label the protocol's name of what it does, for the journal: a JSON-RPC method or {@code
 *     HTTP}
 * @param method HTTP method towards the upstream
 * @param target request target towards the upstream, forwarded byte for byte
 * @param headers those of the client's headers that go to the upstream: no credential, nothing
 *     hop-by-hop
 * @param body the bytes that were judged
 * @param endless a server-to-client stream that has no first-byte or whole-call time limit of its
 *     own
 * @param arrivedNanos when it arrived, on the monotonic clock
 */
public record Call(
        UUID id,
        Subject subject,
        boolean counted,
        String label,
        String method,
        String target,
        HeaderBlock headers,
        byte[] body,
        boolean endless,
        long arrivedNanos,
        Dialect dialect) {}
