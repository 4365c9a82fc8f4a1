package io.penstock.gateway.config;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Price;
import io.penstock.budget.PriceList;
import io.penstock.gateway.config.IdentityConfig.IdentityMode;
import io.penstock.gateway.config.LogConfig.Format;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Turns the document into the record tree, and checks what its parts say of each other. */
final class ConfigReader {
    /** Beats are at least four times as frequent as the lease is long. */
    private static final int BEATS_PER_LEASE = 4;

    private final ReadContext context;

    ConfigReader(ReadContext context) {
        this.context = context;
    }

    ReplicaConfig replica(Section root) {
        ListenConfig listen = new ListenReader(root, "listen").read(true);
        AdminConfig admin = admin(root, listen);
        String replica = replicaName(root, listen, admin);
        LimitsConfig limits = limits(root.section("limits"));
        List<String> origins = root.words("origins");
        DrainConfig drain = drain(root.section("drain"));
        Readiness readiness = Readiness.valueOf(root.choice("readiness").toUpperCase(Locale.ROOT));
        DatabaseSection database =
                new DatabaseReader(root.section("database")).forReplica(context.local());
        ControlConfig control = control(root.section("control"));
        JournalConfig journal = journal(root.section("journal"));
        AdmissionConfig admission = admission(root.section("admission"));
        IdentityConfig identity = identity(root.section("identity"));
        List<ServerConfig> servers = servers(root);
        List<Budget> budgets = budgets(root, servers);
        List<Price> prices = prices(root, servers);
        LogConfig log = log(root.section("log"));
        return new ReplicaConfig(
                replica,
                listen,
                limits,
                origins,
                drain,
                admin,
                readiness,
                database,
                control,
                journal,
                admission,
                identity,
                servers,
                budgets,
                root.has("budgets"),
                prices,
                alerts(root.section("alerts")),
                log,
                context.effective());
    }

    RulesConfig rules(Section root) {
        return replica(root).rules();
    }

    /** Whether one of them would find the port taken by the other. */
    private static boolean collide(ListenConfig one, ListenConfig other) {
        Set<String> anywhere = Set.of("0.0.0.0", "::");
        boolean sameHost =
                one.host().equals(other.host())
                        || anywhere.contains(one.host())
                        || anywhere.contains(other.host());
        return one.port() != 0 && one.port() == other.port() && sameHost;
    }

    private String replicaName(Section root, ListenConfig listen, AdminConfig admin) {
        String given = root.text("replica");
        if (given != null) {
            return given;
        }
        int port = listen.share() ? admin.listen().port() : listen.port();
        String name = hostName().replaceAll("[^A-Za-z0-9._-]", "-") + ":" + port;
        context.effective("replica", name);
        return name;
    }

    private String hostName() {
        String name = context.variable("HOSTNAME");
        if (name != null && !name.isBlank()) {
            return name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static LimitsConfig limits(Section limits) {
        return new LimitsConfig(
                limits.size("body"),
                limits.size("headers"),
                (int) limits.whole("nesting"),
                limits.span("header-timeout"),
                limits.span("body-timeout"),
                limits.span("idle-timeout"),
                (int) limits.whole("connections"),
                (int) limits.whole("streams"));
    }

    private static DrainConfig drain(Section drain) {
        return new DrainConfig(drain.span("delay"), drain.span("timeout"));
    }

    private static AdminConfig admin(Section root, ListenConfig agents) {
        Section admin = root.section("admin");
        ListenConfig listen = new ListenReader(admin, "listen").read(false);
        Path tokens = admin.file("tokens-file");
        if (admin.sound("listen") && collide(listen, agents)) {
            admin.problem(
                    "listen",
                    "admin.listen port " + agents.port() + " is the agents' port: give it another");
        }
        return new AdminConfig(listen, tokens);
    }

    private static ControlConfig control(Section control) {
        Duration lease = control.span("lease");
        Duration poll = control.span("poll");
        Duration longest = lease.dividedBy(BEATS_PER_LEASE);
        if (control.sound("lease", "poll") && poll.compareTo(longest) > 0) {
            control.problem(
                    control.has("poll") ? "poll" : "lease",
                    "control.poll "
                            + Quantity.show(poll)
                            + " must be at most a quarter of control.lease "
                            + Quantity.show(lease)
                            + ": "
                            + Quantity.show(longest)
                            + " or less");
        }
        return new ControlConfig(
                lease,
                control.has("lease"),
                poll,
                control.file("latch-file"),
                control.span("stream-grace"));
    }

    private static JournalConfig journal(Section journal) {
        Duration retention = journal.span("retention");
        if (retention.toNanos() % Duration.ofDays(1).toNanos() != 0) {
            journal.problem("retention", "journal.retention must be whole days, such as 30d");
        }
        return new JournalConfig(retention);
    }

    private static AdmissionConfig admission(Section admission) {
        return new AdmissionConfig(
                admission.span("deadline"),
                (int) admission.whole("queue"),
                (int) admission.whole("lanes"));
    }

    private static IdentityConfig identity(Section identity) {
        boolean open = identity.choice("mode").equals("open");
        Path keys = identity.file("keys-file");
        if (open && identity.has("keys-file")) {
            identity.problem(
                    "keys-file", "identity.keys-file means nothing in mode open: drop one of them");
        }
        return new IdentityConfig(open ? IdentityMode.OPEN : IdentityMode.API_KEY, keys);
    }

    private List<ServerConfig> servers(Section root) {
        List<ServerConfig> servers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Section section : root.sections("servers")) {
            String name = name(section, "servers", names);
            servers.add(new ServerReader(section).read(name, context.local()));
        }
        return servers;
    }

    private List<Budget> budgets(Section root, List<ServerConfig> servers) {
        Set<String> serverNames = new LinkedHashSet<>();
        servers.forEach(server -> serverNames.add(server.name()));
        List<Section> sections = root.sections("budgets");
        if (sections.size() > BudgetSet.BUDGETS_MAX) {
            root.problem(
                    "budgets",
                    "budgets: %d, at most %d are possible"
                            .formatted(sections.size(), BudgetSet.BUDGETS_MAX));
        }
        List<Budget> budgets = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Section section : sections) {
            String name = name(section, "budgets", names);
            // A wrong name is reported already; the rest is read for its own problems.
            String valid = name.isEmpty() ? "unnamed" : name;
            budgets.add(new BudgetReader(section, serverNames).read(valid));
        }
        return budgets;
    }

    private static List<Price> prices(Section root, List<ServerConfig> servers) {
        Set<String> names = new LinkedHashSet<>();
        servers.forEach(server -> names.add(server.name()));
        List<Price> prices = new ArrayList<>();
        for (Section section : root.sections("prices")) {
            prices.addAll(new PriceReader(section, names).read());
        }
        if (prices.size() > PriceList.PRICES_MAX) {
            root.problem(
                    "prices",
                    "prices: %d, at most %d are possible"
                            .formatted(prices.size(), PriceList.PRICES_MAX));
        }
        return prices;
    }

    private static AlertsConfig alerts(Section alerts) {
        String text = alerts.text("webhook");
        Map<String, String> headers = new LinkedHashMap<>();
        Section given = alerts.section("headers");
        given.secrets()
                .forEach(
                        (name, secret) -> {
                            ServerReader.headerProblem(name, secret.value(), given);
                            headers.put(name, secret.value());
                        });
        if (text == null) {
            if (alerts.has("headers")) {
                alerts.problem("headers", "alerts.headers belongs to a webhook");
            }
            return new AlertsConfig(null, headers);
        }
        URI webhook = null;
        try {
            webhook = new URI(text);
        } catch (URISyntaxException e) {
            alerts.problem("webhook", "alerts.webhook is not a URL: " + e.getReason());
        }
        if (webhook != null && webhook.getHost() == null) {
            alerts.problem("webhook", "alerts.webhook names no host");
        }
        return new AlertsConfig(webhook, headers);
    }

    /** The name of a list's item, which must be there and be the only one of its kind. */
    private static String name(Section section, String list, Set<String> names) {
        String name = section.required("name");
        if (!name.isEmpty()) {
            section.rename(list + "." + name);
            if (!names.add(name)) {
                section.problem("name", list + ": " + name + " is there twice");
            }
        }
        return name;
    }

    private static LogConfig log(Section log) {
        Format format = Format.valueOf(log.choice("format").toUpperCase(Locale.ROOT));
        String level = log.choice("level").toUpperCase(Locale.ROOT);
        return new LogConfig(format, System.Logger.Level.valueOf(level));
    }
}
