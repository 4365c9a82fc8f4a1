package io.penstock.gateway.api;

import io.penstock.gateway.call.Dialect;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a plain HTTP client understands: the refusal's status and a problem document. */
final class ProblemDialect implements Dialect {
    static final String CHALLENGE = "Bearer realm=\"penstock\"";

    private final UUID call;

    ProblemDialect(UUID call) {
        this.call = call;
    }

    @Override
    public void refuse(Reply reply, Refusal refusal, HeaderBlock headers) {
        headers.set("Content-Type", ProblemDocument.MEDIA_TYPE);
        if (refusal.retryAfterMillis() >= 0) {
            headers.set("Retry-After", ProblemDocument.retryAfter(refusal));
        }
        if (refusal.code() == RefusalCode.UNAUTHENTICATED) {
            headers.set("WWW-Authenticate", CHALLENGE);
        }
        byte[] body = ProblemDocument.of(refusal, call);
        reply.send(refusal.code().status(), headers, body, 0, body.length);
    }

    /** Any answer may be under way, so nothing can be added to it. */
    @Override
    public byte @Nullable [] lastEvent(Refusal refusal) {
        return null;
    }

    @Override
    public String resultRoot() {
        return "";
    }

    @Override
    public void answered(int status, HeaderBlock headers) {
        Forwarding.cleanAnswer(headers);
    }
}
