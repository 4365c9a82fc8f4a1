package io.penstock.cli;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
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
        return new AdminClient(base, ServeOptions.firstLine("--token-file", tokenFile).value());
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return whole(request(path, Duration.ZERO).GET().build());
    }

    JsonNode post(String path, JsonNode body) throws IOException, InterruptedException {
        return whole(posting(path, body, Duration.ZERO).build());
    }

    /**
     * Posts, and hands over each line of the answer when it comes. A replica that has nothing to
     * tell line by line answers at once: one line.
     */
    void watch(String path, JsonNode body, Duration replicaWaits, Consumer<JsonNode> lines)
            throws IOException, InterruptedException {
        HttpRequest request =
                posting(path, body, replicaWaits).header("Accept", "application/x-ndjson").build();
        HttpResponse<InputStream> response = send(request, BodyHandlers.ofInputStream());
        try (InputStream in = response.body();
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            if (response.statusCode() >= 400) {
                throw refused(response.statusCode(), reader.lines().collect(joining("\n")));
            }
            read(reader, in, ANSWER_MAX.plus(replicaWaits), lines);
        }
    }

    /** The client bounds the wait for the head only: a replica may freeze after it. */
    private void read(
            BufferedReader reader, InputStream in, Duration most, Consumer<JsonNode> lines)
            throws IOException {
        Thread bound = Thread.ofVirtual().start(() -> closeAfter(most, in));
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.accept(parsed(line));
            }
        } catch (IOException e) {
            throw new IOException("replica at " + base + " went away: " + reason(e), e);
        } finally {
            bound.interrupt();
        }
    }

    private static void closeAfter(Duration most, InputStream in) {
        try {
            Thread.sleep(most);
            in.close();
        } catch (InterruptedException | IOException e) {
            // Read to its end in time, or broken before: nothing is left to bound.
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest.Builder posting(String path, JsonNode body, Duration replicaWaits)
            throws IOException {
        return request(path, replicaWaits)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json.writeValueAsString(body)));
    }

    private HttpRequest.Builder request(String path, Duration replicaWaits) {
        String start = base.toString().replaceAll("/+$", "");
        try {
            return HttpRequest.newBuilder(URI.create(start + path))
                    .timeout(ANSWER_MAX.plus(replicaWaits))
                    .header("Authorization", "Bearer " + token);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--admin or --token-file cannot be used: " + e.getMessage(), e);
        }
    }

    private JsonNode whole(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = send(request, BodyHandlers.ofString());
        if (response.statusCode() >= 400) {
            throw refused(response.statusCode(), response.body());
        }
        return parsed(response.body());
    }

    private <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        try {
            return client.send(request, handler);
        } catch (IOException e) {
            throw new IOException("replica at " + base + " does not answer: " + reason(e), e);
        }
    }

    private static String reason(IOException e) {
        if (e instanceof HttpConnectTimeoutException) {
            return "no connection within " + CONNECT_MAX.toSeconds() + " s";
        }
        if (e instanceof HttpTimeoutException) {
            return "nothing came in time";
        }
        if (e.getCause() instanceof UnresolvedAddressException
                || e.getCause() != null
                        && e.getCause().getCause() instanceof UnresolvedAddressException) {
            return "its host name is not known";
        }
        if (e instanceof ConnectException) {
            return "the connection is refused";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private JsonNode parsed(String body) {
        try {
            JsonNode tree = json.readTree(body);
            return tree == null ? json.nullNode() : tree;
        } catch (JsonProcessingException e) {
            throw CommandFailure.failed(base + " does not answer as an admin API does");
        }
    }

    private CommandFailure refused(int status, String body) {
        JsonNode problem = parsed(body);
        String detail = problem.path("detail").asText(problem.path("title").asText(""));
        String hint = status == 401 ? " Is the token right?" : "";
        return CommandFailure.failed(
                "replica at " + base + " refused (" + status + "): " + detail + hint);
    }

    @Override
    public void close() {
        client.close();
    }
}
