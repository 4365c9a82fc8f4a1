package io.penstock.gateway.config;

import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything one replica is told, valid as a whole.
 *
 * @param replica its name
 * @param origins browser origins that may call
 * @param budgetsGiven whether the file has a {@code budgets} key
 * @param prices what calls cost
 * @param alerts where alerts go
 * @param effective every key with the value that holds, defaults included and secrets masked, in
 *     the order of the reference page
 */
public record ReplicaConfig(
        String replica,
        ListenConfig listen,
        LimitsConfig limits,
        List<String> origins,
        DrainConfig drain,
        AdminConfig admin,
        Readiness readiness,
        DatabaseSection database,
        ControlConfig control,
        JournalConfig journal,
        AdmissionConfig admission,
        IdentityConfig identity,
        List<ServerConfig> servers,
        List<Budget> budgets,
        boolean budgetsGiven,
        List<Price> prices,
        AlertsConfig alerts,
        LogConfig log,
        SequencedMap<String, String> effective) {

    /** Keys that say where a replica is, not what it does: replicas of one cluster differ here. */
    private static final Set<String> OWN =
            Set.of(
                    "replica",
                    "listen",
                    "listen.address",
                    "listen.share",
                    "admin.listen",
                    "admin.listen.address",
                    "control.latch-file",
                    "log.format",
                    "log.level");

    public ReplicaConfig {
        origins = List.copyOf(origins);
        servers = List.copyOf(servers);
        budgets = List.copyOf(budgets);
        prices = List.copyOf(prices);
        effective = new LinkedHashMap<>(effective);
    }

    /** The same replica at another place: another name, other addresses, another database. */
    public ReplicaConfig at(
            String name, ListenConfig agents, ListenConfig operators, DatabaseSection other) {
        LinkedHashMap<String, String> shown = new LinkedHashMap<>(effective);
        shown.put("replica", name);
        shown.put("listen", agents.host() + ":" + agents.port());
        shown.put("admin.listen", operators.host() + ":" + operators.port());
        shown.put("database.url", Masking.url(other.url()));
        return new ReplicaConfig(
                name,
                agents,
                limits,
                origins,
                drain,
                new AdminConfig(operators, admin.tokensFile()),
                readiness,
                other,
                control,
                journal,
                admission,
                identity,
                servers,
                budgets,
                budgetsGiven,
                prices,
                alerts,
                log,
                shown);
    }

    /** The part that the whole cluster must agree on. */
    public RulesConfig rules() {
        Map<String, Mode> modes = new LinkedHashMap<>();
        servers.forEach(server -> modes.put(server.name(), server.mode()));
        return new RulesConfig(
                budgets, budgetsGiven, prices, modes, control.lease(), control.leaseGiven());
    }

    /** The effective configuration as one log line: {@code key=value} pairs, secrets masked. */
    public String effectiveLine() {
        return effective.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + quoted(entry.getValue()))
                .collect(Collectors.joining(" "));
    }

    /**
     * A digest of what the replicas of a cluster should have in common but the cluster does not
     * decide: addresses of upstreams, limits, TLS and key files. Secrets do not enter it.
     */
    public String fingerprint() {
        return Fingerprint.of(effective, key -> !OWN.contains(key) && !cluster(key));
    }

    /** Keys whose value in force comes from the cluster's revision. */
    private static boolean cluster(String key) {
        return key.startsWith("budgets")
                || key.startsWith("prices")
                || key.equals("control.lease")
                || (key.startsWith("servers.") && key.endsWith(".mode"));
    }

    private static String quoted(String value) {
        return value.isEmpty() || value.contains(" ") ? '"' + value + '"' : value;
    }

    /** The effective configuration, which masks secrets. */
    @Override
    public String toString() {
        return "ReplicaConfig[" + effectiveLine() + "]";
    }
}
