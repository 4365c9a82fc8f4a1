package io.penstock.cli.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

final class LogLineTest {
    private static final Instant AT = Instant.parse("2026-12-01T00:00:00.123Z");

    @Test
    void text_lineBreaks_stayOneLine() {
        LogLine line = new LogLine(AT, "INFO", "io.penstock", "a=1\nb=2", null);

        assertThat(line.text()).isEqualTo("2026-12-01T00:00:00.123Z INFO    io.penstock a=1\\nb=2");
    }

    @Test
    void json_pairs_areFields() {
        LogLine line =
                new LogLine(
                        AT, "WARNING", "x", "event=gate-closed reason=\"no lease\" level=9", null);

        assertThat(line.json())
                .isEqualTo(
                        "{\"at\":\"2026-12-01T00:00:00.123Z\",\"level\":\"WARNING\",\"logger\":\"x\",\"message\":\"event=gate-closed"
                            + " reason=\\\"no lease\\\""
                            + " level=9\",\"event\":\"gate-closed\",\"reason\":\"no lease\"}");
    }

    @Test
    void text_thrown_isOnTheSameLine() {
        LogLine line = new LogLine(AT, "ERROR", "x", "m", new IllegalStateException("bad"));

        assertThat(line.text().lines()).hasSize(1).first().asString().contains("bad");
    }
}
