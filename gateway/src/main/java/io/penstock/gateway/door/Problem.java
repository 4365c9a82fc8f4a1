package io.penstock.gateway.door;

import io.penstock.gateway.http.HeaderBlock;
import java.nio.charset.StandardCharsets;

/** The door's own refusals as problem documents (RFC 9457). */
final class Problem {
    private Problem() {}

    static HeaderBlock headers(int status) {
        HeaderBlock headers = new HeaderBlock().add("Content-Type", "application/problem+json");
        if (status == 405) {
            headers.add("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        }
        return headers;
    }

    static byte[] body(RequestRefused refused) {
        return body(refused.status(), refused.reason().label(), refused.detail());
    }

    /**
     * @param code why, as one fixed word
     * @param detail a sentence of our own, without quotes and backslashes
     */
    static byte[] body(int status, String code, String detail) {
        String title = ResponseHead.reason(status);
        return ("{\"type\":\"about:blank\",\"title\":\""
                        + title
                        + "\",\"status\":"
                        + status
                        + ",\"code\":\""
                        + code
                        + "\",\"detail\":\""
                        + detail
                        + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
