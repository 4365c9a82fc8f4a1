package io.penstock.gateway.config;

import io.penstock.gateway.config.ValueType.Choice;
import io.penstock.gateway.config.ValueType.Group;
import io.penstock.gateway.config.ValueType.Hidden;
import io.penstock.gateway.config.ValueType.ReadFile;
import io.penstock.gateway.config.ValueType.Size;
import io.penstock.gateway.config.ValueType.Span;
import io.penstock.gateway.config.ValueType.Text;
import io.penstock.gateway.config.ValueType.Whole;
import io.penstock.gateway.config.ValueType.WrittenFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every key there is, once: what is not in this table is an unknown key. */
final class ConfigKeys {
    /** Tenant, server and budget names; names of dots alone would change what a path means. */
    static final String NAME = "(?!\\.{1,2}$)[A-Za-z0-9._-]{1,128}";

    /**
     * What a request can match: a method that goes on, and segments as they read once decoded,
     * without parameters. Any other template would name nothing, and the budgets and stops that
     * mean its tool would silently never apply.
     */
    private static final String ROUTE =
            "(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) "
                    + "(/|(/(\\{[A-Za-z0-9_.-]+\\}"
                    + "|(?!\\.+(/|$))[A-Za-z0-9._~!$&'()+,=:@-]+))+/?)";

    private static final Text ADDRESS =
            Text.of(
                    "(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):[0-9]{1,5}",
                    "`host:port` or `[v6]:port`");
    private static final Text NAMED = Text.of(NAME, "name: letters, digits, `.`, `_`, `-`");
    private static final Text TOOL = Text.of("\\P{Cntrl}{1,256}", "tool name or pattern with `*`");
    private static final Text AMOUNT =
            Text.of(
                    "[0-9]\\P{Cntrl}{0,30}",
                    "whole number; for `cost` as `5.00 USD`, for `bytes` also as `4MiB`");
    private static final Choice FLAG = Choice.of("true", "false");

    private static final Map<String, ConfigKey> KEYS = table();

    private ConfigKeys() {}

    static List<ConfigKey> all() {
        return List.copyOf(KEYS.values());
    }

    static ConfigKey at(String path) {
        ConfigKey key = KEYS.get(path);
        if (key == null) {
            throw new IllegalStateException("key " + path + " is not in the table");
        }
        return key;
    }

    /** Names of the keys right below a path, in the order of the table. */
    static List<String> below(String path) {
        String start = path.isEmpty() ? "" : path + ".";
        return KEYS.keySet().stream()
                .filter(key -> key.startsWith(start))
                .map(key -> key.substring(start.length()))
                .filter(rest -> !rest.contains("."))
                .map(rest -> rest.endsWith("[]") ? rest.substring(0, rest.length() - 2) : rest)
                .distinct()
                .toList();
    }

    private static Map<String, ConfigKey> table() {
        Map<String, ConfigKey> keys = new LinkedHashMap<>();
        List<ConfigKey> all = new ArrayList<>();
        all.addAll(doors());
        all.addAll(admin());
        all.addAll(database());
        all.addAll(control());
        all.addAll(identity());
        all.addAll(servers());
        all.addAll(budgets());
        all.addAll(alerts());
        all.addAll(log());
        all.forEach(key -> keys.put(key.path(), key));
        return keys;
    }

    private static ConfigKey key(String path, ValueType type, String fallback, String meaning) {
        return new ConfigKey(path, type, fallback, meaning);
    }

    private static List<ConfigKey> doors() {
        List<ConfigKey> keys = new ArrayList<>();
        keys.add(
                key(
                        "replica",
                        Text.of("[A-Za-z0-9._:-]{1,128}", "letters, digits, `.`, `_`, `:`, `-`"),
                        "",
                        "This replica's name in `status`, metrics and headers. Default: host name"
                                + " and port of `listen` (of `admin.listen` when the port is"
                                + " shared)."));
        keys.addAll(
                listener(
                        "listen",
                        "0.0.0.0:8080",
                        "Data plane, where agents call. An address, or an object with `address`."));
        keys.add(
                key(
                        "listen.share",
                        FLAG,
                        "false",
                        "Several replicas on one machine share the port (SO_REUSEPORT); the kernel"
                                + " spreads connections over them."));
        keys.addAll(limits());
        keys.add(
                key(
                        "origins",
                        new Group("list of origins"),
                        "[]",
                        "Browser origins that may call. A request with another `Origin` is answered"
                                + " 403."));
        keys.add(
                key(
                        "origins[]",
                        Text.of(
                                "https?://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?",
                                "`scheme://host[:port]`"),
                        "",
                        "One origin."));
        keys.add(key("drain", new Group("object"), "", "How a replica leaves on SIGTERM."));
        keys.add(
                key(
                        "drain.delay",
                        new Span("0s", "10m"),
                        "5s",
                        "Not ready any more, still serving, answers say `Connection: close`."));
        keys.add(
                key(
                        "drain.timeout",
                        new Span("0s", "1h"),
                        "30s",
                        "For calls under way afterwards; then they are cut."));
        keys.add(
                key(
                        "readiness",
                        Choice.of("answer", "admit"),
                        "answer",
                        "What `/health/ready` means: the replica can answer (a refusal too), or it"
                                + " can admit."));
        return keys;
    }

    private static List<ConfigKey> listener(String path, String fallback, String meaning) {
        return List.of(
                key(path, ADDRESS, fallback, meaning),
                key(path + ".address", ADDRESS, fallback, "Where to listen; port 0 for any."),
                key(path + ".tls", new Group("object"), "", "TLS; without it plain HTTP."),
                key(path + ".tls.cert", new ReadFile(), "", "Certificate chain, PEM."),
                key(
                        path + ".tls.key",
                        new ReadFile(),
                        "",
                        "Private key, PEM: PKCS#8, or PKCS#1 for RSA."),
                key(
                        path + ".tls.client-ca",
                        new ReadFile(),
                        "",
                        "Authorities whose client certificates are accepted, PEM."),
                key(
                        path + ".tls.client-auth",
                        Choice.of("required", "optional"),
                        "required",
                        "Whether a client must present a certificate; needs `client-ca`."));
    }

    private static List<ConfigKey> limits() {
        return List.of(
                key("limits", new Group("object"), "", "Bounds on what a client may send."),
                key("limits.body", new Size("1KiB", "256MiB"), "4MiB", "Body of one request."),
                key("limits.headers", new Size("1KiB", "1MiB"), "32KiB", "Head of one request."),
                key("limits.nesting", new Whole(4, 1000), "64", "Nesting of JSON."),
                key(
                        "limits.header-timeout",
                        new Span("100ms", "10m"),
                        "10s",
                        "From a request's first byte to the end of its head. Slower ones get 408."),
                key(
                        "limits.body-timeout",
                        new Span("100ms", "1h"),
                        "30s",
                        "From the end of the head to the end of the body. Slower ones get 408."),
                key(
                        "limits.idle-timeout",
                        new Span("1s", "24h"),
                        "1m",
                        "Of a kept connection without a request."),
                key(
                        "limits.connections",
                        new Whole(1, 1_000_000),
                        "10000",
                        "Connections open at once."),
                key(
                        "limits.streams",
                        new Whole(1, 10_000),
                        "128",
                        "HTTP/2 streams open at once on a connection."));
    }

    private static List<ConfigKey> admin() {
        List<ConfigKey> keys = new ArrayList<>();
        keys.add(key("admin", new Group("object"), "", "The admin plane."));
        keys.addAll(
                listener(
                        "admin.listen",
                        "127.0.0.1:9090",
                        "Admin API, metrics and health; never the agents' port."));
        keys.add(
                key(
                        "admin.tokens-file",
                        new ReadFile(),
                        "",
                        "Who may use `/v1`: a list of `{ id, sha256, role }`, role `view`,"
                                + " `operate` or `stop`. Without it `/v1` is closed; health and"
                                + " metrics need no token."));
        return keys;
    }

    private static List<ConfigKey> database() {
        return List.of(
                key("database", new Group("object"), "", "The Postgres that the cluster shares."),
                key(
                        "database.url",
                        Text.of("embedded|jdbc:postgresql:\\P{Cntrl}+", "JDBC URL or `embedded`"),
                        "",
                        "Needed. `embedded` is for `penstock up`; `serve` refuses it."),
                key(
                        "database.user",
                        Text.of("\\P{Cntrl}{1,63}", "role name"),
                        "",
                        "A login in the group `penstock_gateway`."),
                key("database.password", new Hidden(), "", "Its password, as `${ENV:NAME}`."),
                key(
                        "database.password-file",
                        new ReadFile(),
                        "",
                        "Its password, in the first line of a file."),
                key(
                        "database.pool-size",
                        new Whole(1, 100),
                        "8",
                        "Connections for all but lanes and control. A replica opens `lanes` + 2 +"
                                + " `pool-size`."),
                key(
                        "database.operator",
                        new Group("object"),
                        "",
                        "The credential of commands that change the cluster; `serve` ignores it."),
                key(
                        "database.operator.user",
                        Text.of("\\P{Cntrl}{1,63}", "role name"),
                        "",
                        "A login in the group `penstock_operator`."),
                key("database.operator.password", new Hidden(), "", "Its password."),
                key(
                        "database.operator.password-file",
                        new ReadFile(),
                        "",
                        "Its password, in the first line of a file."));
    }

    private static List<ConfigKey> control() {
        return List.of(
                key("control", new Group("object"), "", "How a replica follows the control state."),
                key(
                        "control.lease",
                        new Span("500ms", "10s"),
                        "1s",
                        "A replica that cannot confirm the control state for so long refuses"
                                + " everything. Cluster-wide: part of the revision."),
                key(
                        "control.poll",
                        new Span("25ms", "2500ms"),
                        "250ms",
                        "Between two looks at the control state; at most a quarter of `lease`."),
                key(
                        "control.latch-file",
                        new WrittenFile(),
                        "",
                        "Where a stop given through the admin API is kept over restarts until it"
                                + " is recorded."),
                key(
                        "control.stream-grace",
                        new Span("0s", "1m"),
                        "5s",
                        "An open stream waits so long for a lapsed lease before it is cut."),
                key("journal", new Group("object"), "", "The record of decisions."),
                key(
                        "journal.retention",
                        new Span("1d", "3650d"),
                        "30d",
                        "How long it is kept; whole days."),
                key("admission", new Group("object"), "", "How calls are admitted."),
                key(
                        "admission.deadline",
                        new Span("60ms", "10s"),
                        "250ms",
                        "A call waits at most so long for the database's decision."),
                key(
                        "admission.queue",
                        new Whole(1, 1_000_000),
                        "10000",
                        "Calls that may wait at once; more are refused as `overloaded`."),
                key(
                        "admission.lanes",
                        new Whole(1, 4),
                        "4",
                        "Database connections that decide, at most."));
    }

    private static List<ConfigKey> identity() {
        return List.of(
                key("identity", new Group("object"), "", "How agents say who they are."),
                key(
                        "identity.mode",
                        Choice.of("api-key", "open"),
                        "api-key",
                        "`open` trusts the headers `Penstock-Tenant` and `Penstock-Agent` as they"
                                + " come."),
                key(
                        "identity.keys-file",
                        new ReadFile(),
                        "",
                        "Keys beside those in the database: a list of `{ id, sha256, tenant,"
                                + " agent }`, read again every 5 s."));
    }

    private static List<ConfigKey> servers() {
        return List.of(
                key("servers", new Group("list of objects"), "[]", "The upstream servers."),
                key("servers[].name", NAMED, "", "Needed, unique: `/mcp/NAME`, `/http/NAME/`."),
                key(
                        "servers[].url",
                        Text.of("https?://\\P{Cntrl}+", "`http://` or `https://` URL"),
                        "",
                        "An MCP endpoint. Either this or `http`."),
                key(
                        "servers[].http",
                        Text.of("https?://\\P{Cntrl}+", "`http://` or `https://` URL"),
                        "",
                        "The base of a plain HTTP API."),
                key(
                        "servers[].routes",
                        new Group("list of routes"),
                        "[]",
                        "Path templates that name the tools of a plain HTTP API; what matches none"
                                + " is `METHOD /*`."),
                key(
                        "servers[].routes[]",
                        Text.of(ROUTE, "`METHOD /path/{name}`"),
                        "",
                        "One route. Each segment is plain text or a `{name}`, never part of both."),
                key(
                        "servers[].mode",
                        Choice.of("enforce", "shadow", "off"),
                        "enforce",
                        "`shadow` decides and records only; `off` keeps identity and stop, without"
                                + " budgets and journal. Cluster-wide: part of the revision."),
                key(
                        "servers[].connect-timeout",
                        new Span("10ms", "1m"),
                        "2s",
                        "For name look-up, TCP and TLS."),
                key(
                        "servers[].timeout",
                        new Span("10ms", "24h"),
                        "30s",
                        "To the first byte of the answer."),
                key(
                        "servers[].idle-timeout",
                        new Span("100ms", "24h"),
                        "5m",
                        "Between bytes of a stream."),
                key(
                        "servers[].max-duration",
                        new Span("100ms", "24h"),
                        "1h",
                        "Of one call, streams included."),
                key(
                        "servers[].max-concurrent",
                        new Whole(1, 100_000),
                        "1000",
                        "Calls at once from this replica; more are `upstream-unavailable`."),
                key(
                        "servers[].headers",
                        new Group("object of name and secret text"),
                        "",
                        "Added to every request to it."),
                key("servers[].headers.*", new Hidden(), "", "Value of that header."),
                key("servers[].tls", new Group("object"), "", "TLS towards it."),
                key(
                        "servers[].tls.ca",
                        new ReadFile(),
                        "",
                        "Authorities to trust instead of the platform's, PEM."),
                key("servers[].tls.cert", new ReadFile(), "", "Client certificate chain, PEM."),
                key("servers[].tls.key", new ReadFile(), "", "Its private key, PEM."),
                key(
                        "servers[].refusals",
                        Choice.of("in-band", "http-status"),
                        "in-band",
                        "MCP refusals as a JSON-RPC error with HTTP 200, or with the status of the"
                                + " refusal table."));
    }

    private static List<ConfigKey> budgets() {
        return List.of(
                key(
                        "budgets",
                        new Group("list of objects"),
                        "",
                        "Limits. Cluster-wide: part of the revision. A file without this key takes"
                                + " what the cluster has."),
                key("budgets[].name", NAMED, "", "Needed, unique."),
                key(
                        "budgets[].unit",
                        Choice.of("calls", "cost", "tokens", "bytes", "concurrency"),
                        "calls",
                        "What is counted. `cost`, `tokens` and `bytes` come from `prices`;"
                                + " `concurrency` counts calls that are open now and has no"
                                + " window."),
                key(
                        "budgets[].limit",
                        AMOUNT,
                        "",
                        "Needed, or `rate`. Units per window and value of `per`, 0 to 2^62; a limit"
                                + " that is changed keeps what was used."),
                key(
                        "budgets[].window",
                        Text.of("\\P{Cntrl}{1,20}", "duration, `1s` to `366d`, or `lifetime`"),
                        "",
                        "Needed, unless there is a `rate` or the unit is `concurrency`. A duration:"
                                + " fixed windows of this length, aligned to UTC on the database's"
                                + " clock. Or an object with one of the keys below."),
                key(
                        "budgets[].window.calendar",
                        Choice.of("day", "week", "month"),
                        "",
                        "Local days, ISO weeks or months of `zone`, daylight saving included."),
                key(
                        "budgets[].window.zone",
                        Text.of("[A-Za-z0-9_+/-]{1,64}", "time zone such as `Europe/Berlin`"),
                        "UTC",
                        "Of `calendar`."),
                key(
                        "budgets[].window.sliding",
                        new Span("1s", "366d"),
                        "",
                        "No interval of this length, wherever it starts, holds more than the limit."
                                + " Units come back at most 1/50 of it late."),
                key(
                        "budgets[].window.session",
                        new Span("1s", "366d"),
                        "",
                        "From a session's first call until it was silent so long; kept per"
                                + " session. Calls without a session count as their agent."),
                key(
                        "budgets[].rate",
                        Text.of("[0-9]{1,13}/[0-9]{0,9}(ms|s|m|h|d)", "`units/span`, as `100/s`"),
                        "",
                        "Instead of `limit` and `window`: units come evenly, at most `burst` at"
                                + " once. In any span t at most burst + rate * t."),
                key(
                        "budgets[].burst",
                        new Whole(1, 1_000_000_000_000L),
                        "",
                        "With `rate`. Default: the units of one period."),
                key(
                        "budgets[].reserve",
                        Choice.of("max", "adaptive"),
                        "max",
                        "What a call holds while its price is not known: the most it may cost"
                                + " (never over the limit), or what 19 of 20 calls cost of late"
                                + " (over by at most the rest of the calls in flight)."),
                key(
                        "budgets[].unpriced",
                        Choice.of("refuse", "admit"),
                        "refuse",
                        "What comes of a call that has no price in this unit; `admit`: the budget"
                                + " does not apply to it."),
                key(
                        "budgets[].overrides",
                        new Group("list of objects"),
                        "[]",
                        "Other limits for some tenants, agents, servers or tools; the first that"
                                + " matches counts."),
                key("budgets[].overrides[].tenant", NAMED, "", "Whose counters."),
                key(
                        "budgets[].overrides[].agent",
                        Text.of("\\P{Cntrl}{1,256}", "agent's name"),
                        "",
                        "Of that tenant."),
                key("budgets[].overrides[].server", NAMED, "", "Which server's counters."),
                key("budgets[].overrides[].tool", TOOL, "", "Of that server; no pattern."),
                key("budgets[].overrides[].limit", AMOUNT, "", "Needed. The other limit."),
                key(
                        "budgets[].notify-at",
                        new Group("list of percentages"),
                        "[]",
                        "Shares of the limit at which people are told, once per window and"
                                + " counter."),
                key(
                        "budgets[].notify-at[]",
                        Text.of("([1-9][0-9]?|100)%", "percentage, `1%` to `100%`"),
                        "",
                        "One share."),
                key(
                        "budgets[].per",
                        new Group("list of dimensions"),
                        "[]",
                        "What has a count of its own; none: one count for all."),
                key(
                        "budgets[].per[]",
                        Choice.of("tenant", "agent", "server", "tool", "session"),
                        "",
                        "One dimension."),
                key("budgets[].match", new Group("object"), "", "Which calls it counts."),
                key(
                        "budgets[].match.server",
                        Text.of("[A-Za-z0-9._*-]{1,128}", "server name or pattern with `*`"),
                        "",
                        "Default: every server."),
                key("budgets[].match.tool", TOOL, "", "Default: every tool."),
                key(
                        "budgets[].mode",
                        Choice.of("enforce", "shadow", "warn"),
                        "enforce",
                        "`shadow` counts and reports what it would have refused, and never refuses;"
                                + " `warn` also marks the answer."),
                key(
                        "prices",
                        new Group("list of objects"),
                        "[]",
                        "What calls cost. Cluster-wide: part of the revision. The first that"
                                + " matches a tool counts, for each unit."),
                key(
                        "prices[].server",
                        Text.of("[A-Za-z0-9._*-]{1,128}", "server name or pattern with `*`"),
                        "",
                        "Default: every server."),
                key("prices[].tool", TOOL, "", "Default: every tool."),
                key("prices[].cost", AMOUNT, "", "Known beforehand, as `0.0004 USD`."),
                key("prices[].tokens", AMOUNT, "", "Known beforehand."),
                key("prices[].bytes", AMOUNT, "", "Known beforehand, as `4KiB`."),
                key(
                        "prices[].unit",
                        Choice.of("cost", "tokens", "bytes"),
                        "",
                        "Of a price that is known afterwards."),
                key(
                        "prices[].max",
                        AMOUNT,
                        "",
                        "The most a call may cost: held at admission. A call of unit `bytes` is cut"
                                + " there; what an answer reports above it is charged and journaled"
                                + " as an overrun."),
                key(
                        "prices[].result",
                        Text.of("(/[^~\\p{Cntrl}]*(~[01][^~\\p{Cntrl}]*)*)+", "JSON pointer"),
                        "",
                        "Where the number stands in the result; of a plain HTTP API in the body."
                                + " Not for `bytes`, which the gateway counts itself."),
                key(
                        "prices[].header",
                        Text.of("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}", "header name"),
                        "",
                        "The header of the answer in which the number stands, instead of"
                                + " `result`."),
                key(
                        "prices[].each",
                        AMOUNT,
                        "",
                        "Units for each one of the number, such as `0.000002 USD` for each token."
                                + " Default: 1, and 1 USD for `cost`."));
    }

    private static List<ConfigKey> alerts() {
        return List.of(
                key(
                        "alerts",
                        new Group("object"),
                        "",
                        "Where this replica delivers what `notify-at` raises; it is recorded"
                                + " (view `penstock.alerts`) and counted without this too."),
                key(
                        "alerts.webhook",
                        Text.of("https?://\\P{Cntrl}+", "`http://` or `https://` URL"),
                        "",
                        "A POST of JSON for each alert: `id`, `budget`, `unit`, `scope`, `percent`,"
                                + " `used`, `limit`, `at`; at least once, five tries."),
                key("alerts.headers", new Group("object"), "", "Headers of the POST."),
                key("alerts.headers.*", new Hidden(), "", "A header's value."));
    }

    private static List<ConfigKey> log() {
        return List.of(
                key("log", new Group("object"), "", "One line an event, to standard error."),
                key("log.format", Choice.of("text", "json"), "text", "Shape of a line."),
                key(
                        "log.level",
                        Choice.of("error", "warning", "info", "debug", "trace"),
                        "info",
                        "Least that is logged."));
    }
}
