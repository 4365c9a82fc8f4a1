package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** What a figure was measured on. */
final class Machine {
    private static final List<String> SETTINGS =
            List.of(
                    "server_version",
                    "fsync",
                    "synchronous_commit",
                    "wal_level",
                    "shared_buffers",
                    "min_wal_size",
                    "full_page_writes");

    private Machine() {}

    static ObjectNode facts(ObjectMapper mapper, TestServer server) {
        ObjectNode facts = mapper.createObjectNode();
        facts.put("cores", Runtime.getRuntime().availableProcessors());
        facts.put("processor", field(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("memory", field(Path.of("/proc/meminfo"), "MemTotal"));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put(
                "java",
                System.getProperty("java.vendor.version")
                        + " "
                        + System.getProperty("java.version"));
        facts.put("flags", String.join(" ", Flags.of(Path.of("..", "penstock"), "serve")));
        facts.put("nginx", said("/usr/sbin/nginx", "-v"));
        facts.put("haproxy", said("/usr/sbin/haproxy", "-v"));
        facts.put("commit", said("git", "rev-parse", "--short", "HEAD"));
        facts.put("clean", said("git", "status", "--porcelain", "--", "../*/src/main").isEmpty());
        facts.put("load", text(Path.of("/proc/loadavg")).strip());
        ObjectNode postgres = facts.putObject("postgres");
        try (TestDatabase database = server.empty();
                var connection = database.connectAsSuperuser();
                var statement = connection.createStatement()) {
            for (String setting : SETTINGS) {
                try (var rows = statement.executeQuery("show " + setting)) {
                    rows.next();
                    postgres.put(setting, rows.getString(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return facts;
    }

    /** Resident memory of a process now and at its highest, in KiB. */
    static JsonNode memory(ObjectMapper mapper, long pid) {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        ObjectNode node = mapper.createObjectNode();
        node.put("nowKiB", kibibytes(field(status, "VmRSS")));
        node.put("peakKiB", kibibytes(field(status, "VmHWM")));
        return node;
    }

    private static long kibibytes(String value) {
        return Long.parseLong(value.replace("kB", "").strip());
    }

    private static String field(Path file, String name) {
        return text(file)
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String said(String... command) {
        String output = Program.run("fact", Duration.ofSeconds(20), List.of(command));
        return output.lines().findFirst().orElse("").strip();
    }
}
