package io.penstock.gateway.config;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where alerts go from this replica.
 *
 * @param webhook null: nowhere; they are recorded all the same
 * @param headers sent along; may hold secrets
 */
public record AlertsConfig(@Nullable URI webhook, Map<String, String> headers) {
    public AlertsConfig {
        headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
        return "AlertsConfig[webhook=" + webhook + "]";
    }
}
