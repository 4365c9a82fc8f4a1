package io.penstock.cluster.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** This machine, and every host that the URL names. */
final class HostChecks {
    /** Two descriptors for each call that is open, and room for the rest. */
    private static final long DESCRIPTORS_MIN = 4_096;

    private HostChecks() {}

    static void fileLimit(List<Finding> findings) {
        if (!(ManagementFactory.getOperatingSystemMXBean()
                instanceof UnixOperatingSystemMXBean os)) {
            return;
        }
        long limit = os.getMaxFileDescriptorCount();
        String why = "a call takes two descriptors, one on each side";
        String what = limit + " open files allowed here";
        findings.add(
                limit >= DESCRIPTORS_MIN
                        ? Finding.good("files", what, why)
                        : Finding.warning(
                                "files",
                                what,
                                why,
                                "raise the limit where replicas run: ulimit -n 65536, or"
                                        + " LimitNOFILE of the service"));
    }

    /** Where several hosts are named, exactly one of them must be a primary. */
    static void hosts(DatabaseConfig config, List<Finding> findings) {
        List<String> hosts = hostsOf(config.url());
        if (hosts.size() < 2) {
            return;
        }
        Set<String> systems = new HashSet<>();
        int primaries = 0;
        for (String host : hosts) {
            try (Connection c = new Connector(on(config, host)).open(Purpose.EXAMINE)) {
                systems.add(
                        String.valueOf(
                                Patient.text(
                                        c, "select system_identifier from pg_control_system()")));
                if ("f".equals(Patient.text(c, "select pg_is_in_recovery()"))) {
                    primaries++;
                }
            } catch (SQLException e) {
                findings.add(
                        Finding.warning(
                                "hosts",
                                host + " does not answer: " + e.getMessage(),
                                "a failover to it would not work",
                                "start it, or take it out of the URL"));
            }
        }
        String why = "two primaries are two ledgers, and a budget is spent in each";
        if (primaries > 1 || systems.size() > 1) {
            findings.add(
                    Finding.error(
                            "hosts",
                            primaries + " primaries, " + systems.size() + " database systems",
                            why,
                            "name only the hosts of one replicated Postgres"));
            return;
        }
        findings.add(Finding.good("hosts", hosts.size() + " hosts, one system", why));
    }

    static List<String> hostsOf(String url) {
        int start = url.indexOf("//");
        int end = start < 0 ? -1 : url.indexOf('/', start + 2);
        return end < 0 ? List.of() : List.of(url.substring(start + 2, end).split(","));
    }

    private static DatabaseConfig on(DatabaseConfig config, String host) {
        int start = config.url().indexOf("//");
        int end = config.url().indexOf('/', start + 2);
        return new DatabaseConfig(
                config.url().substring(0, start + 2) + host + config.url().substring(end),
                config.user(),
                config.password(),
                config.poolSize());
    }
}
