package io.penstock.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.ControlView;
import io.penstock.gateway.call.RefusalCode;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The names that dashboards rely on, and that labels are bounded. */
final class MetersTest {
    private final Meters meters = new Meters(List.of("files", "mail"));

    @AfterEach
    void close() {
        meters.close();
    }

    @Test
    void names_ofTheContract_areThere() {
        FakeReplica replica = new FakeReplica();
        meters.control(new ControlView(replica.snapshot()), () -> -2_000_000_000L);
        meters.budgets(Map.of("agent-rate", 0.5));
        meters.decided("admitted", "files", 3_000_000);
        meters.decided("stopped", "files", 3_000_000);
        meters.admissionTook(700_000);
        meters.upstreamTook("files", 2_000_000);
        meters.batch(0, 25, 900_000, 40);

        assertThat(meters.scrape().lines())
                .contains(
                        "penstock_calls_total{decision=\"admitted\",server=\"files\"} 1.0",
                        "penstock_calls_total{decision=\"stopped\",server=\"files\"} 1.0",
                        "penstock_calls_total{decision=\"admitted\",server=\"mail\"} 0.0",
                        "penstock_call_seconds_bucket{le=\"0.002\"} 0",
                        "penstock_call_seconds_bucket{le=\"0.004\"} 2",
                        "penstock_call_seconds_count 2",
                        "penstock_admission_seconds_bucket{le=\"0.001\"} 1",
                        "penstock_admission_batch_calls_bucket{le=\"32.0\"} 1",
                        "penstock_admission_batch_calls_sum 25.0",
                        "penstock_upstream_seconds_bucket{server=\"files\",le=\"0.002\"} 1",
                        "penstock_control_epoch 7.0",
                        "penstock_control_lease_seconds 2.0",
                        "penstock_stop_active 1.0",
                        "penstock_budget_used_ratio{budget=\"agent-rate\"} 0.5");
    }

    @Test
    void labels_unknownServersAndDecisions_areCountedTogether() {
        for (int i = 0; i < 1000; i++) {
            meters.decided("invented-" + i, "server-" + i, 1);
            meters.refused("reason-" + i);
        }
        meters.refused(RefusalCode.UNAUTHENTICATED, null, UUID.randomUUID());
        meters.refused(
                RefusalCode.UNKNOWN_TARGET,
                new Subject("acme", "agent", "secret-server", "tool", ""),
                UUID.randomUUID());

        String all = meters.scrape();
        assertThat(all)
                .contains("penstock_calls_total{decision=\"other\",server=\"none\"} 1000.0")
                .contains("penstock_calls_total{decision=\"unauthenticated\",server=\"none\"} 1.0")
                .contains("penstock_calls_total{decision=\"unknown-target\",server=\"none\"} 1.0")
                .contains("penstock_http_refused_total{reason=\"other\"}")
                .doesNotContain("invented", "server-", "secret-server", "acme");
        assertThat(all.lines().filter(line -> line.startsWith("penstock_http_refused")))
                .hasSize(41);
    }

    @Test
    void budgets_thatAreGone_areNotShown() {
        meters.budgets(Map.of("old", 1.0));
        meters.budgets(Map.of("new", 0.1));

        assertThat(meters.scrape())
                .contains("penstock_budget_used_ratio{budget=\"new\"} 0.1")
                .doesNotContain("\"old\"");
    }

    @Test
    void observers_onceALabelWasSeen_allocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 50_000;
        observe(calls);

        long before = threads.getCurrentThreadAllocatedBytes();
        observe(calls);
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / calls;

        // A compiler that has not inlined yet may box now and then; a call that allocates shows.
        assertThat(each).isLessThan(16);
    }

    private void observe(int calls) {
        for (int i = 0; i < calls; i++) {
            meters.decided("admitted", "files", 1_000_000 + i);
            meters.admissionTook(500_000 + i);
            meters.upstreamTook("files", 700_000 + i);
            meters.batch(0, 25, 900_000, 40);
        }
    }
}
