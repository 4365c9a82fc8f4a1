package io.penstock.gateway.api;

import io.penstock.budget.Subject;
import io.penstock.gateway.call.CallRunner;
import io.penstock.gateway.call.DecisionHeaders;
import io.penstock.gateway.call.Dialect;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.Refusals;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.identity.Identification;
import io.penstock.gateway.identity.Identity;
import io.penstock.gateway.identity.Names;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What every door needs on the way in.
 *
 * @param ids a new call id each
 * @param ticker the monotonic clock
 */
public record Entrance(
        Identification identification,
        DecisionHeaders decisions,
        DoorRefusals refusals,
        CallRunner calls,
        Supplier<UUID> ids,
        LongSupplier ticker) {

    /** What stands in {@code Penstock-Decision} where the protocol itself calls a request wrong. */
    static final String MALFORMED = "malformed";

    /** Refuses, in the client's dialect, what did not get as far as the call path. */
    public void refuse(
            Reply reply, Dialect dialect, Refusal refusal, @Nullable Subject subject, UUID call) {
        refusals.refused(refusal.code(), subject, call);
        HeaderBlock headers = new HeaderBlock();
        decisions.add(headers, refusal.code().label(), call);
        dialect.refuse(reply, refusal, headers);
    }

    /** Refuses a request of nobody we know. */
    public void refuseUnknown(Reply reply, Dialect dialect, Identity.Unknown who, UUID call) {
        refuse(reply, dialect, Refusals.unauthenticated(who.reason()), null, call);
    }

    /** Refuses a request to a server that there is not; {@code subject} names it as it came. */
    public void refuseUnknownTarget(Reply reply, Dialect dialect, Subject subject, UUID call) {
        boolean named = Names.plain(subject.server());
        Refusal refusal = Refusals.unknownTarget(named ? subject.server() : "that");
        refuse(reply, dialect, refusal, named ? subject : null, call);
    }

    /** Headers of an answer to a request that the protocol itself calls wrong. */
    public HeaderBlock rejected(int status, UUID call) {
        refusals.rejected(status, call);
        HeaderBlock headers = new HeaderBlock();
        decisions.add(headers, MALFORMED, call);
        return headers;
    }

    /** Answers such a request with a problem document. */
    public void reject(Reply reply, int status, String detail, UUID call) {
        reject(reply, status, detail, rejected(status, call), call);
    }

    /**
     * The same with headers that say more.
     *
     * @param headers made by {@link #rejected}
     */
    public void reject(Reply reply, int status, String detail, HeaderBlock headers, UUID call) {
        headers.set("Content-Type", ProblemDocument.MEDIA_TYPE);
        byte[] body = ProblemDocument.of(status, detail, call);
        reply.send(status, headers, body, 0, body.length);
    }
}
