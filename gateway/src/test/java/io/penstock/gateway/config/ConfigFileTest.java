package io.penstock.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.penstock.budget.Budget;
import io.penstock.budget.Dimension;
import io.penstock.budget.LimitOverride;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.Reserve;
import io.penstock.budget.Unit;
import io.penstock.budget.Unpriced;
import io.penstock.budget.Window;
import io.penstock.gateway.config.DatabaseSection.Login;
import io.penstock.gateway.config.IdentityConfig.IdentityMode;
import io.penstock.gateway.config.ListenConfig.ServerTls;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigFileTest {
    private static final String LEAST =
            "database: { url: \"jdbc:postgresql://db/penstock\", user: gate }\n";
    private static final Map<String, String> ENVIRONMENT =
            Map.of("HOSTNAME", "box", "TOKEN", "Bearer s3cret", "DB_PASSWORD", "hunter2");

    @TempDir Path folder;

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Reading<ReplicaConfig> reading(String text) throws IOException {
        return ConfigFile.read(write("penstock.yaml", text), ENVIRONMENT::get);
    }

    private ReplicaConfig valid(String text) throws IOException {
        return switch (reading(text)) {
            case Reading.Valid<ReplicaConfig> valid -> valid.value();
            case Reading.Invalid<ReplicaConfig> invalid ->
                    throw new AssertionError(invalid.problems().toString());
        };
    }

    private List<String> problems(String text) throws IOException {
        return switch (reading(text)) {
            case Reading.Valid<ReplicaConfig> valid ->
                    throw new AssertionError("valid: " + valid.value());
            case Reading.Invalid<ReplicaConfig> invalid ->
                    invalid.problems().stream()
                            .map(
                                    problem ->
                                            problem.line()
                                                    + ":"
                                                    + problem.column()
                                                    + " "
                                                    + problem.message())
                            .toList();
        };
    }

    @Test
    void read_leastFile_givesDefaults() throws IOException {
        ReplicaConfig config = valid(LEAST);

        assertThat(config.replica()).isEqualTo("box:8080");
        assertThat(config.listen()).isEqualTo(new ListenConfig("0.0.0.0", 8080, false, null));
        assertThat(config.limits()).isEqualTo(LimitsConfig.DEFAULT);
        assertThat(config.origins()).isEmpty();
        assertThat(config.drain())
                .isEqualTo(new DrainConfig(Duration.ofSeconds(5), Duration.ofSeconds(30)));
        assertThat(config.admin())
                .isEqualTo(new AdminConfig(new ListenConfig("127.0.0.1", 9090, false, null), null));
        assertThat(config.readiness()).isEqualTo(Readiness.ANSWER);
        assertThat(config.database())
                .isEqualTo(
                        new DatabaseSection(
                                false,
                                "jdbc:postgresql://db/penstock",
                                new Login("gate", null),
                                8,
                                null));
        assertThat(config.control())
                .isEqualTo(
                        new ControlConfig(
                                Duration.ofSeconds(1),
                                false,
                                Duration.ofMillis(250),
                                null,
                                Duration.ofSeconds(5)));
        assertThat(config.journal()).isEqualTo(new JournalConfig(Duration.ofDays(30)));
        assertThat(config.admission())
                .isEqualTo(new AdmissionConfig(Duration.ofMillis(250), 10_000, 4));
        assertThat(config.identity()).isEqualTo(new IdentityConfig(IdentityMode.API_KEY, null));
        assertThat(config.servers()).isEmpty();
        assertThat(config.budgets()).isEmpty();
        assertThat(config.budgetsGiven()).isFalse();
        assertThat(config.log())
                .isEqualTo(new LogConfig(LogConfig.Format.TEXT, System.Logger.Level.INFO));
    }

    private static final String MINIMAL =
            """
            database: { url: "jdbc:postgresql://db/penstock", user: u }
            servers: [{ name: files, url: "http://files/mcp" }]
            """;

    /** Every key of the table, with a value that is not its default. */
    private static final String EVERYTHING =
            """
            replica: a
            listen:
              address: "[::1]:8443"
              share: true
              tls: { cert: a.pem, key: a.pem, client-ca: a.pem, client-auth: optional }
            limits:
              body: 1MiB
              headers: 16KiB
              nesting: 32
              header-timeout: 1s
              body-timeout: 2s
              idle-timeout: 3s
              connections: 100
              streams: 10
            origins: ["https://app.example"]
            drain: { delay: 1s, timeout: 2s }
            readiness: admit
            admin:
              listen: { address: "127.0.0.1:9443", tls: { cert: a.pem, key: a.pem, client-ca: a.pem, client-auth: required } }
              tokens-file: a.pem
            database:
              url: jdbc:postgresql://db1,db2/penstock?targetServerType=primary
              user: gate
              password: ${ENV:DB_PASSWORD}
              pool-size: 4
              operator: { user: op, password-file: secret }
            control: { lease: 2s, poll: 500ms, latch-file: latch, stream-grace: 1s }
            journal: { retention: 7d }
            admission: { deadline: 100ms, queue: 50, lanes: 2 }
            identity: { mode: api-key, keys-file: a.pem }
            servers:
              - name: files
                url: https://files.internal:3000/mcp
                mode: shadow
                timeout: 1s
                connect-timeout: 500ms
                idle-timeout: 1m
                max-duration: 10m
                max-concurrent: 7
                headers: { Authorization: "${ENV:TOKEN}" }
                tls: { ca: a.pem, cert: a.pem, key: a.pem }
                refusals: http-status
              - name: billing
                http: http://billing.internal/v2
                routes: ["GET /users/{id}"]
                mode: off
            budgets:
              - name: rate
                unit: calls
                limit: 100
                window: 1s
                per: [tenant, agent]
                match: { server: files, tool: "read_*" }
                mode: shadow
              - { name: smooth, rate: 100/s, burst: 20 }
              - name: spend
                unit: cost
                limit: 5.00 USD
                window: { calendar: day, zone: Europe/Berlin }
                per: [tenant]
                mode: warn
                reserve: adaptive
                unpriced: admit
                overrides:
                  - { tenant: acme, limit: 50 USD }
                notify-at: [95%, 80%]
              - { name: any, unit: bytes, limit: 4MiB, window: { sliding: 10s }, per: [tool] }
              - { name: talk, unit: tokens, limit: 9, window: { session: 30m } }
              - { name: ever, limit: 4611686018427387904, window: lifetime }
              - name: slots
                unit: concurrency
                limit: 3
                per: [agent, tool]
                overrides: [{ tenant: acme, agent: bob, server: files, tool: x, limit: 9 }]
            prices:
              - { server: files, tool: "x*", cost: 0.0004 USD, tokens: 3, bytes: 4KiB }
              - { unit: tokens, max: 8000, result: /usage/total_tokens }
              - { unit: cost, max: 0.05 USD, header: X-Tokens, each: 0.000002 USD }
              - { unit: bytes, max: 1MiB }
            alerts: { webhook: "https://hooks/x?y=1", headers: { Authorization: "Bearer z" } }
            log: { format: json, level: debug }
            """;

    private static Budget budget(
            String name, Unit unit, long limit, Window window, Set<Dimension> per) {
        return new Budget(name, unit, limit, window, per, null, null, Mode.ENFORCE);
    }

    private static Price measured(Unit unit, long max, Price.Source source, long each) {
        return new Price(null, null, unit, new Price.Measured(max, source, each));
    }

    @Test
    void read_everyKey_isTakenOver() throws IOException {
        Path pem = write("a.pem", "x");
        write("secret", "op-secret\nignored\n");

        ReplicaConfig config = valid(EVERYTHING);

        assertThat(config.replica()).isEqualTo("a");
        assertThat(config.listen())
                .isEqualTo(
                        new ListenConfig("::1", 8443, true, new ServerTls(pem, pem, pem, false)));
        assertThat(config.limits())
                .isEqualTo(
                        new LimitsConfig(
                                1 << 20,
                                16 << 10,
                                32,
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                100,
                                10));
        assertThat(config.origins()).containsExactly("https://app.example");
        assertThat(config.readiness()).isEqualTo(Readiness.ADMIT);
        assertThat(config.admin().listen().tls()).isEqualTo(new ServerTls(pem, pem, pem, true));
        assertThat(config.admin().tokensFile()).isEqualTo(pem);
        assertThat(config.database().login()).isEqualTo(new Login("gate", new Secret("hunter2")));
        assertThat(config.database().operator())
                .isEqualTo(new Login("op", new Secret("op-secret")));
        assertThat(config.control())
                .isEqualTo(
                        new ControlConfig(
                                Duration.ofSeconds(2),
                                true,
                                Duration.ofMillis(500),
                                folder.resolve("latch"),
                                Duration.ofSeconds(1)));
        assertThat(config.identity().keysFile()).isEqualTo(pem);
        ServerConfig files = config.servers().getFirst();
        assertThat(files.url()).isEqualTo(URI.create("https://files.internal:3000/mcp"));
        assertThat(files.mcp()).isTrue();
        assertThat(files.headers()).containsEntry("Authorization", "Bearer s3cret");
        assertThat(files.refusalsByStatus()).isTrue();
        assertThat(files.maxConcurrent()).isEqualTo(7);
        ServerConfig billing = config.servers().getLast();
        assertThat(billing.mcp()).isFalse();
        assertThat(billing.mode()).isEqualTo(Mode.OFF);
        assertThat(billing.routes()).containsExactly("GET /users/{id}");
        assertThat(config.budgets())
                .containsExactly(
                        new Budget(
                                "rate",
                                Unit.CALLS,
                                100,
                                new Window.Fixed(1_000_000),
                                Set.of(Dimension.TENANT, Dimension.AGENT),
                                "files",
                                "read_*",
                                Mode.SHADOW),
                        budget("smooth", Unit.CALLS, 100, new Window.Rate(1_000_000, 20), Set.of()),
                        new Budget(
                                "spend",
                                Unit.COST,
                                5_000_000,
                                new Window.Calendar(
                                        Window.Calendar.Span.DAY, ZoneId.of("Europe/Berlin")),
                                Set.of(Dimension.TENANT),
                                null,
                                null,
                                Mode.WARN,
                                Reserve.ADAPTIVE,
                                Unpriced.ADMIT,
                                List.of(new LimitOverride("acme", null, null, null, 50_000_000)),
                                List.of(80, 95)),
                        budget(
                                "any",
                                Unit.BYTES,
                                4L << 20,
                                new Window.Sliding(10_000_000),
                                Set.of(Dimension.TOOL)),
                        budget(
                                "talk",
                                Unit.TOKENS,
                                9,
                                new Window.Session(1_800_000_000),
                                Set.of(Dimension.SESSION)),
                        budget("ever", Unit.CALLS, 1L << 62, new Window.Lifetime(), Set.of()),
                        new Budget(
                                "slots",
                                Unit.CONCURRENCY,
                                3,
                                new Window.Open(),
                                Set.of(Dimension.AGENT, Dimension.TOOL),
                                null,
                                null,
                                Mode.ENFORCE,
                                Reserve.MAX,
                                Unpriced.REFUSE,
                                List.of(new LimitOverride("acme", "bob", "files", "x", 9)),
                                List.of()));
        assertThat(config.prices())
                .containsExactly(
                        new Price("files", "x*", Unit.COST, new Price.Known(400)),
                        new Price("files", "x*", Unit.TOKENS, new Price.Known(3)),
                        new Price("files", "x*", Unit.BYTES, new Price.Known(4096)),
                        measured(
                                Unit.TOKENS,
                                8_000,
                                new Price.ResultPointer("/usage/total_tokens"),
                                1),
                        measured(Unit.COST, 50_000, new Price.ResponseHeader("X-Tokens"), 2),
                        measured(Unit.BYTES, 1 << 20, new Price.BodyBytes(), 1));
        assertThat(config.alerts())
                .isEqualTo(
                        new AlertsConfig(
                                URI.create("https://hooks/x?y=1"),
                                Map.of("Authorization", "Bearer z")));
        assertThat(config.toString()).doesNotContain("Bearer z");
        assertThat(config.rules().rules(3).servers())
                .isEqualTo(Map.of("files", Mode.SHADOW, "billing", Mode.OFF));
    }

    @Test
    void read_everyKeyOfTheTable_isAskedFor() throws IOException {
        write("a.pem", "x");
        write("secret", "op-secret");
        ReadContext context = new ReadContext("f", folder, ENVIRONMENT::get, true);
        YamlNode node = YamlTree.read(EVERYTHING, context::problem);

        new ConfigReader(context).replica(Section.root(context, node));

        assertThat(context.problems()).isEmpty();
        assertThat(context.asked())
                .containsAll(ConfigKeys.all().stream().map(ConfigKey::path).toList());
    }

    @Test
    void show_secrets_neverAppear() throws IOException {
        write("a.pem", "x");
        write("secret", "op-secret");
        ReplicaConfig config =
                valid(EVERYTHING.replace("?targetServerType=primary", "?password=url-secret"));

        String shown =
                config
                        + config.effectiveLine()
                        + config.servers()
                        + config.database()
                        + config.database().login();

        assertThat(shown).doesNotContain("s3cret", "hunter2", "op-secret", "url-secret");
        assertThat(config.effective())
                .containsEntry("servers.files.headers.Authorization", "***")
                .containsEntry("database.password", "***")
                .containsEntry("control.lease", "2s")
                .containsEntry("limits.streams", "10");
    }

    @Test
    void read_manyMistakes_areAllReportedWithTheirPlace() throws IOException {
        String text =
                """
                listn: 0.0.0.0:8080
                database:
                  url: mysql://db/penstock
                  pool_size: 8
                control: { lease: 1 }
                servers:
                  - name: files
                    url: http://files/mcp
                    timeout: 2h
                  - name: files
                    http: ftp://x
                    mode: of
                budgets:
                  - name: rate
                    limit: -1
                    window: 1s
                    match: { server: fils }
                    per: [tenant, nobody]
                    tate: 100/s
                  - unit: smiles
                    window: { calendar: dya }
                identity: { mode: jwt }
                """;

        assertThat(problems(text))
                .containsExactly(
                        "1:1 unknown key listn: did you mean listen?",
                        "3:8 database.url: mysql://db/penstock is not JDBC URL or embedded",
                        "4:3 unknown key pool_size in database: did you mean pool-size?",
                        "5:19 control.lease: 1 is not a duration such as 250ms, 30s, 24h",
                        "9:14 servers.files.timeout is longer than max-duration",
                        "10:11 servers: files is there twice",
                        "11:11 servers.files.http: ftp://x is not http:// or https:// URL",
                        "12:11 servers.files.mode: of is not known to this version: did you mean"
                                + " off?",
                        "15:12 budgets.rate.limit: -1 is not whole number; for cost as 5.00 USD,"
                                + " for bytes also as 4MiB",
                        "17:22 budgets.rate.match.server: fils matches no server: did you mean"
                                + " files?",
                        "18:19 budgets.rate.per: nobody is not known to this version: expected"
                                + " tenant or agent or server or tool or session",
                        "19:5 unknown key tate in budgets[0]: did you mean rate?",
                        "20:5 budgets[1].limit is missing",
                        "20:5 budgets[1].name is missing",
                        "20:11 budgets[1].unit: smiles is not known to this version: expected calls"
                                + " or cost or tokens or bytes or concurrency",
                        "21:25 budgets[1].window.calendar: dya is not known to this version: did"
                                + " you mean day?",
                        "22:19 identity.mode: jwt is not known to this version: expected api-key"
                                + " or open");
    }

    /** Each line is a budget or a price, and what is said of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unit: concurrency, limit: 1, window: 1s | window means nothing for concurrency",
                "rate: 5/s, limit: 5 | limit and rate exclude each other",
                "limit: 5, window: 1s, burst: 3 | burst belongs to a rate",
                "rate: 100/d, burst: 1000000000000 | a burst is 1 to",
                "limit: 5, window: 10y | is not a duration such as 1s or 24h, nor lifetime",
                "limit: 5, window: 1ms | a fixed window is 1 s to 366 days long",
                "limit: 5, window: { sliding: 1s, session: 1m } | not sliding and session",
                "limit: 5, window: { sliding: 1500us } | must be duration, 1s to 366d",
                "limit: 5, window: { calendar: day, zone: Europe/Berln } | Europe/Berlin?",
                "limit: 5, window: { sliding: 1s, zone: UTC } | belongs to a calendar window",
                "unit: cost, limit: 5, window: 1s | is not an amount such as 5.00 USD",
                "limit: 9223372036854775807, window: 1s | is over 2^62",
                "limit: 5, window: 1s, reserve: max | means nothing for this unit",
                "limit: 5, window: 1s, per: [agent], overrides: [{ agent: a, limit: 1 }] | needs a"
                        + " tenant",
                "limit: 5, window: 1s, overrides: [{ tenant: t, limit: 1 }] | add it to per",
                "limit: 5, window: 1s, overrides: [{}] | limit is missing",
                "rate: 5/s, notify-at: [80%] | needs a window",
                "limit: 5, window: 1s, notify-at: [101%] | is not percentage",
            })
    void read_impossibleBudget_saysWhy(String budget, String saying) throws IOException {
        String text = MINIMAL + "budgets: [{ name: b, " + budget + " }]\n";

        assertThat(problems(text)).singleElement(STRING).contains(saying);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tool: x | cost is missing",
                "server: nobody, cost: 1 USD | nobody matches no server",
                "cost: 0 USD | must be 1 to 2^52 units",
                "unit: tokens, result: /a | max is missing",
                "unit: tokens, max: 5 | result is missing (or header)",
                "unit: tokens, max: 5, result: usage | is not JSON pointer",
                "unit: tokens, max: 5, result: /a, header: X | exclude each other",
                "unit: bytes, max: 5, result: /a | the gateway counts them",
                "cost: 1 USD, each: 1 USD | belongs to a price with unit and max",
            })
    void read_impossiblePrice_saysWhy(String price, String saying) throws IOException {
        assertThat(problems(MINIMAL + "prices: [{ " + price + " }]\n"))
                .singleElement(STRING)
                .contains(saying);
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void read_badValue_saysWhatIsWrong(String line, List<String> expected) throws IOException {
        assertThat(problems(line + "\n" + LEAST))
                .containsExactlyElementsOf(
                        expected.stream()
                                .map(problem -> problem.replace("{}", folder.toString()))
                                .toList());
    }

    private static Arguments bad(String line, String... problems) {
        return Arguments.of(line, List.of(problems));
    }

    static Stream<Arguments> badValues() {
        return Stream.of(
                bad(
                        "limits: { body: 1KB }",
                        "1:17 limits.body: 1KB is not a size such as 32KiB, 4MiB"),
                bad("limits: { body: 1GiB }", "1:17 limits.body must be size, 1KiB to 256MiB"),
                bad("limits: { nesting: 010 }", "1:20 limits.nesting: 010 is not a whole number"),
                bad("limits: { nesting: 1e2 }", "1:20 limits.nesting: 1e2 is not a whole number"),
                bad("limits: [1]", "1:9 limits must be an object of keys and values"),
                bad(
                        "limits: { body: }",
                        "1:16 limits.body has no value: give it one or drop the key"),
                bad("listen: 8080", "1:9 listen: 8080 is not host:port or [v6]:port"),
                bad("listen: a:70000", "1:9 listen: port 70000 is above 65535"),
                bad(
                        "listen: { address: a:0, share: true }",
                        "1:32 listen.share: port 0 cannot be shared"),
                bad(
                        "listen: { address: a:1, share: yes }",
                        "1:32 listen.share: yes is not known to this version: expected true or"
                                + " false"),
                bad(
                        "listen: { tls: { cert: no.pem, key: no.pem } }",
                        "1:24 listen.tls.cert: there is no file {}/no.pem",
                        "1:37 listen.tls.key: there is no file {}/no.pem"),
                bad(
                        "listen: { tls: { client-auth: required } }",
                        "1:16 listen.tls.cert is missing",
                        "1:16 listen.tls.key is missing",
                        "1:31 listen.tls.client-auth needs client-ca"),
                bad(
                        "admin: { listen: 127.0.0.1:8080 }",
                        "1:18 admin.listen port 8080 is the agents' port: give it another"),
                bad(
                        "admin: { listen: { share: true } }",
                        "1:20 unknown key share in admin.listen; valid here: address, tls"),
                bad("origins: https://a", "1:10 origins must be a list"),
                bad(
                        "origins: [https://a/]",
                        "1:11 origins: https://a/ is not scheme://host[:port]"),
                bad("origins: [https://a, https://a]", "1:22 origins: https://a is there twice"),
                bad("replica: a b", "1:10 replica: a b is not letters, digits, ., _, :, -"),
                bad(
                        "drain: { delay: 5 s }",
                        "1:17 drain.delay: 5 s is not a duration such as 250ms, 30s, 24h"),
                bad(
                        "control: { poll: 300ms }",
                        "1:18 control.poll 300ms must be at most a quarter of control.lease 1s:"
                                + " 250ms or less"),
                bad(
                        "control: { lease: 500ms }",
                        "1:19 control.poll 250ms must be at most a quarter of control.lease 500ms:"
                                + " 125ms or less"),
                bad("control: { lease: 11s }", "1:19 control.lease must be duration, 500ms to 10s"),
                bad(
                        "control: { latch-file: no/latch }",
                        "1:24 control.latch-file: there is no folder {}/no"),
                bad(
                        "journal: { retention: 36h }",
                        "1:23 journal.retention must be whole days, such as 30d"),
                bad(
                        "admission: { deadline: 50ms }",
                        "1:24 admission.deadline must be duration, 60ms to 10s"),
                bad("admission: { lanes: 5 }", "1:21 admission.lanes must be whole number, 1 to 4"),
                bad(
                        "admission: { queue: 99999999999999999999 }",
                        "1:21 admission.queue: 99999999999999999999 is not a whole number"),
                bad(
                        "identity: { mode: open, keys-file: penstock.yaml }",
                        "1:36 identity.keys-file means nothing in mode open: drop one of them"),
                bad(
                        "identity: { mode: Open }",
                        "1:19 identity.mode: Open is not known to this version: did you mean"
                                + " open?"),
                bad(
                        "readiness: yes",
                        "1:12 readiness: yes is not known to this version: expected answer or"
                                + " admit"),
                bad(
                        "log: { level: loud }",
                        "1:15 log.level: loud is not known to this version: expected error or"
                                + " warning or info or debug or trace"),
                bad(
                        "policies: []",
                        "1:1 unknown key policies; valid here: replica, listen, limits, origins,"
                                + " drain, readiness, admin, database, control, journal, admission,"
                                + " identity, servers, budgets, prices, alerts, log"),
                bad("log: &a { level: info }", "1:6 anchors are not read here (&a)"),
                bad(
                        "replica: *a",
                        "1:10 aliases are not read here: write the value out",
                        "1:10 replica has no value: give it one or drop the key"),
                bad("replica: !!str a", "1:10 tags are not read here (tag:yaml.org,2002:str)"),
                bad(
                        "replica: ${ENV:NO_SUCH}",
                        "1:10 replica: environment variable NO_SUCH is not set"),
                bad("replica: ${HOME}", "1:10 replica: only ${ENV:NAME} is put in, not ${HOME}"),
                bad(
                        "replica: ${ENV:TOKEN}",
                        "1:10 replica: ${ENV:TOKEN} is not letters, digits, ., _, :, -"),
                bad("{a: b}: c", "1:1 a key must be a plain word"));
    }

    @Test
    void read_duplicateKey_isRefused() throws IOException {
        assertThat(problems("replica: a\n" + LEAST + "replica: b\n"))
                .containsExactly("3:1 key replica is already on line 1");
    }

    @Test
    void read_secondDocument_isRefused() throws IOException {
        assertThat(problems(LEAST + "---\nreplica: b\n"))
                .containsExactly(
                        "2:1 a second document begins here: one file holds one configuration");
    }

    @Test
    void read_notYaml_saysWhere() throws IOException {
        assertThat(problems("replica: a\n  bad: [\n").getFirst()).startsWith("2:6 not YAML: ");
    }

    @Test
    void read_deepNesting_isRefused() throws IOException {
        assertThat(problems("replica: " + "[".repeat(40) + "]".repeat(40)).getFirst())
                .startsWith("1:42 not YAML: nested deeper than 32 levels");
    }

    @Test
    void read_missingFile_isAProblem() {
        Reading<ReplicaConfig> reading =
                ConfigFile.read(folder.resolve("none.yaml"), ENVIRONMENT::get);

        assertThat(reading)
                .isEqualTo(
                        new Reading.Invalid<ReplicaConfig>(
                                List.of(
                                        new Problem(
                                                folder.resolve("none.yaml").toString(),
                                                0,
                                                0,
                                                "there is no such file"))));
    }

    @Test
    void read_emptyFile_missesTheDatabase() throws IOException {
        assertThat(problems("")).containsExactly("0:0 database.url is missing");
    }

    @Test
    void read_notUtf8_isAProblem() throws IOException {
        Path file = folder.resolve("bad.yaml");
        Files.write(file, new byte[] {'a', ':', ' ', (byte) 0xff});

        assertThat(ConfigFile.read(file, ENVIRONMENT::get))
                .isEqualTo(
                        new Reading.Invalid<ReplicaConfig>(
                                List.of(new Problem(file.toString(), 0, 0, "not UTF-8"))));
    }

    @Test
    void read_words_stayTheTextTheyAre() throws IOException {
        ReplicaConfig config =
                valid(
                        LEAST
                                + "servers: [{ name: 010, url: \"http://a/\", mode: off }, { name:"
                                + " yes, url: \"http://b\" }]");

        assertThat(config.servers().getFirst().name()).isEqualTo("010");
        assertThat(config.servers().getFirst().mode()).isEqualTo(Mode.OFF);
        assertThat(config.servers().getLast().name()).isEqualTo("yes");
    }

    @Test
    void readRules_withoutTheReplicasOwnKeys_isEnough() throws IOException {
        Path file =
                write(
                        "rules.yaml",
                        "servers: [{ name: files, mode: shadow, headers: { X: \"${ENV:ELSEWHERE}\""
                                + " }, tls: { ca: elsewhere.pem } }]\n"
                                + "budgets: [{ name: b, limit: 1, window: 1m }]\n");

        Reading<RulesConfig> reading = ConfigFile.readRules(file, ENVIRONMENT::get);

        assertThat(reading).isInstanceOf(Reading.Valid.class);
        RulesConfig rules = ((Reading.Valid<RulesConfig>) reading).value();
        assertThat(rules.servers()).isEqualTo(Map.of("files", Mode.SHADOW));
        assertThat(rules.budgets()).hasSize(1);
        assertThat(rules.leaseGiven()).isFalse();
    }

    @Test
    void readDatabase_asksForTheOperatorsSecretOnly() throws IOException {
        Path file =
                write(
                        "penstock.yaml",
                        """
                        database:
                          url: jdbc:postgresql://db/p
                          user: gate
                          password-file: /not/readable/here
                          operator: { user: op, password: "${ENV:DB_PASSWORD}" }
                        servers: [{ name: x, url: "http://x", headers: { A: "${ENV:MISSING}" } }]
                        """);

        Reading<DatabaseSection> reading = ConfigFile.readDatabase(file, ENVIRONMENT::get);

        assertThat(reading)
                .isEqualTo(
                        new Reading.Valid<>(
                                new DatabaseSection(
                                        false,
                                        "jdbc:postgresql://db/p",
                                        null,
                                        8,
                                        new Login("op", new Secret("hunter2")))));
    }

    @Test
    void fingerprint_otherAddress_isTheSame() throws IOException {
        String one = valid(LEAST + "replica: a\n").fingerprint();
        String other = valid(LEAST + "replica: b\nlisten: 127.0.0.1:81\n").fingerprint();
        String limits = valid(LEAST + "limits: { body: 1MiB }\n").fingerprint();

        assertThat(one).isEqualTo(other).isNotEqualTo(limits).hasSize(16);
    }

    /** A route that nothing can match would name no call, and its budget would never apply. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET",
                "get /a",
                "FOO /a",
                "TRACE /a",
                "GET a",
                "GET /a//b",
                "GET /a/../b",
                "GET /./a",
                "GET /..",
                "GET /...",
                "GET /a/{b",
                "GET /a/b}",
                "GET /a/{}",
                "GET /a/{id}.json",
                "GET /a/*",
                "GET /a%20b",
                "GET /a;x=1",
                "GET /a?x=1",
                "GET /a#b",
                "GET /a\\\\b"
            })
    void route_thatNothingCanMatch_isNamed(String route) throws IOException {
        assertThat(
                        problems(
                                LEAST
                                        + "servers: [{ name: a, http: http://x, routes: [\"%s\"] }]"
                                                .formatted(route)))
                .singleElement(STRING)
                .startsWith("2:")
                .contains("is not METHOD /path/{name}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /",
                "GET /a/",
                "DELETE /users/{id}/files/{file-name}",
                "POST /v1.0/a:b/..c",
                "OPTIONS /(a)/@b/~c/$d=e,f+g!"
            })
    void route_thatCanMatch_isTaken(String route) throws IOException {
        assertThat(
                        valid(
                                        LEAST
                                                + "servers: [{ name: a, http: http://x, routes: [\"%s\"] }]"
                                                        .formatted(route))
                                .servers()
                                .getFirst()
                                .routes())
                .containsExactly(route);
    }

    @ParameterizedTest
    @CsvSource({
        "http://x:99999/mcp, has no port of 1 to 65535",
        "http://x:0/mcp, has no port of 1 to 65535",
        "http://x/%2e%2E/mcp, has an encoded dot",
        "http://x/a%2Fmcp, has an encoded dot",
        "http://x/a%252e/mcp, has an encoded dot",
        "http://x/a;b/mcp, has an encoded dot"
    })
    void url_thatCannotBeMeant_isNamed(String url, String why) throws IOException {
        assertThat(problems(LEAST + "servers: [{ name: a, url: \"%s\" }]".formatted(url)))
                .singleElement(STRING)
                .contains("servers.a.url " + why);
    }

    @Test
    void problem_ofControlCharacters_showsThemEscaped() throws IOException {
        assertThat(problems(LEAST + "replica: \"\\e[31mred\\a\""))
                .singleElement(STRING)
                .contains("\\u001b[31mred\\u0007");
    }
}
