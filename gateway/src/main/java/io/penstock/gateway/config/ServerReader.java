package io.penstock.gateway.config;

import io.penstock.budget.Mode;
import io.penstock.gateway.config.ServerConfig.ClientTls;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one item of {@code servers}. */
final class ServerReader {
    private static final URI NOWHERE = URI.create("http://invalid.invalid/");

    /** What some server may read as another path. */
    private static final Pattern HIDDEN = Pattern.compile("(?i)%(2e|2f|5c|25|00)|[\\\\;]");

    /** Headers that belong to the connection or to the gateway. */
    private static final Set<String> RESERVED =
            Set.of(
                    "host",
                    "content-length",
                    "transfer-encoding",
                    "connection",
                    "keep-alive",
                    "te",
                    "trailer",
                    "upgrade",
                    "proxy-connection",
                    "expect",
                    "mcp-session-id");

    private final Section section;

    ServerReader(Section section) {
        this.section = section;
    }

    /** Name and mode: what the cluster knows of a server. */
    static Mode mode(Section section) {
        return Mode.valueOf(section.choice("mode").toUpperCase(Locale.ROOT));
    }

    /**
     * @param complete the address must be there
     */
    ServerConfig read(String name, boolean complete) {
        boolean mcp = section.has("url") || !section.has("http");
        URI url = url(complete);
        List<String> routes = section.words("routes");
        Duration connectTimeout = section.span("connect-timeout");
        Duration timeout = section.span("timeout");
        Duration idleTimeout = section.span("idle-timeout");
        Duration maxDuration = section.span("max-duration");
        int maxConcurrent = (int) section.whole("max-concurrent");
        boolean byStatus = section.choice("refusals").equals("http-status");
        refuse("routes", mcp && section.has("routes"), "belongs to a plain HTTP API (http)");
        refuse("refusals", !mcp && section.has("refusals"), "belongs to an MCP server (url)");
        refuse(
                "timeout",
                section.sound("timeout", "max-duration") && timeout.compareTo(maxDuration) > 0,
                "is longer than max-duration");
        return new ServerConfig(
                name,
                url,
                mcp,
                mode(section),
                connectTimeout,
                timeout,
                idleTimeout,
                maxDuration,
                maxConcurrent,
                headers(),
                tls(url),
                routes,
                byStatus);
    }

    private void refuse(String key, boolean wrong, String why) {
        if (wrong) {
            section.problem(key, section.label(key) + " " + why);
        }
    }

    private URI url(boolean complete) {
        boolean both = section.has("url") && section.has("http");
        refuse("http", both, "and url exclude each other: an MCP server or a plain HTTP API");
        boolean neither = !section.has("url") && !section.has("http");
        refuse("url", neither && complete, "is missing (or http, for a plain HTTP API)");
        URI url = url(section.has("http") && !both ? "http" : "url");
        if (both) {
            section.text("http");
        }
        return url;
    }

    private URI url(String key) {
        String text = section.text(key);
        if (text == null) {
            return NOWHERE;
        }
        try {
            URI url = new URI(text);
            refuse(key, url.getHost() == null, "names no host");
            refuse(
                    key,
                    url.getRawUserInfo() != null,
                    "carries a credential: put it in headers, as ${ENV:NAME}");
            refuse(key, url.getRawQuery() != null, "must have no query");
            refuse(key, url.getRawFragment() != null, "must have no fragment");
            refuse(key, url.getPort() == 0 || url.getPort() > 65_535, "has no port of 1 to 65535");
            String path = url.getRawPath() == null ? "" : url.getRawPath();
            refuse(key, !path.equals(url.normalize().getRawPath()), "has dot or empty segments");
            refuse(
                    key,
                    HIDDEN.matcher(path).find(),
                    "has an encoded dot, slash or percent sign, or a ;");
            return url;
        } catch (URISyntaxException e) {
            refuse(key, true, "is not a URL: " + e.getReason());
            return NOWHERE;
        }
    }

    private Map<String, String> headers() {
        Section headers = section.section("headers");
        Map<String, String> values = new LinkedHashMap<>();
        headers.secrets()
                .forEach(
                        (name, secret) -> {
                            headerProblem(name, secret.value(), headers);
                            values.put(name, secret.value());
                        });
        return values;
    }

    static void headerProblem(String name, String value, Section headers) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
            headers.problem(name, headers.label(name) + ": not a header name");
        } else if (RESERVED.contains(lower) || lower.startsWith("penstock-")) {
            headers.problem(name, headers.label(name) + ": this header is the gateway's own");
        } else if (!value.matches("[\\x21-\\x7e]([\\x20-\\x7e\\t]*[\\x21-\\x7e])?")) {
            headers.problem(
                    name,
                    headers.label(name)
                            + ": a header's value is visible ASCII without spaces around it");
        }
    }

    private @Nullable ClientTls tls(URI url) {
        if (!section.has("tls")) {
            return null;
        }
        Section tls = section.section("tls");
        Path ca = tls.file("ca");
        Path certificate = tls.file("cert");
        Path key = tls.file("key");
        if (tls.has("cert") != tls.has("key")) {
            String there = tls.has("cert") ? "cert" : "key";
            tls.problem(there, tls.label(there) + ": cert and key belong together");
        }
        refuse(
                "tls",
                !url.equals(NOWHERE)
                        && section.sound("url", "http")
                        && "http".equals(url.getScheme()),
                "needs an https:// address");
        return new ClientTls(ca, certificate, key);
    }
}
