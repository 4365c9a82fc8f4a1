package io.penstock.gateway.mcp;

import org.jspecify.annotations.Nullable;

/** The protocol revisions that pass. Nothing is translated between them. */
enum Revision {
    V2026_07_28("2026-07-28"),
    V2025_11_25("2025-11-25"),
    V2025_06_18("2025-06-18"),
    V2025_03_26("2025-03-26"),
    /** Spoken over this transport by servers that negotiated it there. */
    V2024_11_05("2024-11-05");

    /** What a request without a version header speaks: the last revision that had none. */
    static final Revision UNNAMED = V2025_03_26;

    private final String text;

    Revision(String text) {
        this.text = text;
    }

    /** The revision of that name, or null where it is not one of these. */
    static @Nullable Revision of(String text) {
        for (Revision each : values()) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        return null;
    }

    String text() {
        return text;
    }

    /** Whether each request stands for itself: no handshake, no session, no stream but its own. */
    boolean stateless() {
        return this == V2026_07_28;
    }

    /** Whether one POST may carry several messages. */
    boolean batches() {
        return this == V2025_03_26;
    }

    /** All of them as a JSON array, the newest first. */
    static String supported() {
        StringBuilder json = new StringBuilder("[");
        for (Revision each : values()) {
            json.append(json.length() > 1 ? "," : "").append('"').append(each.text).append('"');
        }
        return json.append(']').toString();
    }
}
