package io.penstock.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.terminal.CommandFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Speaks to one replica's admin API. */
final class AdminClient implements AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(3);

    /** On top of what the replica itself is told to wait. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_MAX)
                    .build();
    private final URI base;
    private final String token;

    private AdminClient(URI base, String token) {
        this.base = base;
        this.token = token;
    }

    static AdminClient of(URI base, @Nullable Path tokenFile) {
        if (tokenFile == null) {
            throw CommandFailure.usage("--admin needs --token-file");
        }
        String scheme = String.valueOf(base.getScheme());
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw CommandFailure.usage("--admin: must be http:// or https://, not " + base);
        }
        return new AdminClient(base, ServeOptions.passwordOf(tokenFile).value());
    }

    /** An answer that is no failure. */
    record Answer(int status, JsonNode body) {}

    Answer get(String path) throws IOException, InterruptedException {
        return send(request(path, Duration.ZERO).GET().build());
    }

    Answer post(String path, JsonNode body, Duration replicaWaits)
            throws IOException, InterruptedException {
        return send(
                request(path, replicaWaits)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json.writeValueAsString(body)))
                        .build());
    }

    private HttpRequest.Builder request(String path, Duration replicaWaits) {
        String start = base.toString().replaceAll("/+$", "");
        return HttpRequest.newBuilder(URI.create(start + path))
                .timeout(ANSWER_MAX.plus(replicaWaits))
                .header("Authorization", "Bearer " + token);
    }

    private Answer send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response;
        try {
            response = client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new IOException("replica at " + base + " does not answer: " + reason, e);
        }
        JsonNode body = parsed(response.body());
        if (response.statusCode() >= 400) {
            throw CommandFailure.failed(refusal(response.statusCode(), body));
        }
        return new Answer(response.statusCode(), body);
    }

    private JsonNode parsed(String body) {
        try {
            JsonNode tree = json.readTree(body);
            return tree == null ? json.nullNode() : tree;
        } catch (JsonProcessingException e) {
            throw CommandFailure.failed(base + " does not answer as an admin API does");
        }
    }

    private String refusal(int status, JsonNode problem) {
        String detail = problem.path("detail").asText(problem.path("title").asText(""));
        String hint =
                switch (status) {
                    case 401 -> " Is the token right?";
                    case 403 -> " Does the token have that role?";
                    default -> "";
                };
        return "replica at " + base + " refused (" + status + "): " + detail + hint;
    }

    @Override
    public void close() {
        client.close();
    }
}
