package io.penstock.gateway.alert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.alert.Alert;
import io.penstock.cluster.alert.AlertSender;
import io.penstock.gateway.config.AlertsConfig;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * Posts alerts as JSON: {@code id, budget, unit, scope, percent, used, limit, at}.
 *
 * <p><b>Failure.</b> Anything but an answer of 200 to 299 within 5 s counts as not delivered; the
 * id tells a receiver what it has seen already. Redirects are not followed.
 *
 * <p><b>Threads.</b> One at a time; blocks it.
 */
public final class Webhook implements AlertSender {
    private static final Logger LOG = System.getLogger(Webhook.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI url;
    private final Map<String, String> headers;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .connectTimeout(TIMEOUT)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();

    public Webhook(AlertsConfig config) {
        url = Objects.requireNonNull(config.webhook(), "no webhook");
        headers = config.headers();
    }

    @Override
    public boolean send(Alert alert) {
        try {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(url)
                            .timeout(TIMEOUT)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(json(alert)));
            headers.forEach(request::setHeader);
            int status =
                    client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode();
            if (status >= 200 && status < 300) {
                return true;
            }
            LOG.log(
                    Level.WARNING,
                    "event=webhook-refused status={0} alert={1}",
                    status,
                    alert.id());
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=webhook-failing reason=\"{0}\" alert={1}", e, alert.id());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private static String json(Alert alert) {
        try {
            ObjectNode node = JSON.createObjectNode();
            node.put("id", alert.id().toString());
            node.put("budget", alert.budget());
            node.put("unit", alert.unit());
            node.set("scope", JSON.readTree(alert.scope()));
            node.put("percent", alert.percent());
            node.put("used", alert.used());
            node.put("limit", alert.limit());
            node.put("at", alert.at().toString());
            return JSON.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an alert's own values are always JSON", e);
        }
    }
}
