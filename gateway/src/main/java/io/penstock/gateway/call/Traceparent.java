package io.penstock.gateway.call;

import java.util.HexFormat;
import java.util.UUID;

/**
 * A W3C trace context for a call that came without one: the trace id is the call's id, so that both
 * find each other.
 *
 * <p><b>Source.</b> W3C Trace Context, level 1, section 3.2.
 */
final class Traceparent {
    private static final HexFormat HEX = HexFormat.of();

    private Traceparent() {}

    static String of(UUID call) {
        String high = HEX.toHexDigits(call.getMostSignificantBits());
        String low = HEX.toHexDigits(call.getLeastSignificantBits());
        return "00-" + high + low + "-" + low + "-01";
    }
}
