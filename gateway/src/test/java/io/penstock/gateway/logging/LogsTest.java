package io.penstock.gateway.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.gateway.config.LogConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One event is one line, whatever is in it. */
final class LogsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @AfterEach
    void restore() throws Exception {
        LogManager.getLogManager().readConfiguration();
    }

    private System.Logger start(LogConfig.Format format, Level level) {
        Logs.start(
                new LogConfig(format, level), new PrintStream(out, true, StandardCharsets.UTF_8));
        return System.getLogger("io.penstock.test");
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void text_event_isTimeLevelAndPairs() {
        start(LogConfig.Format.TEXT, Level.INFO)
                .log(Level.WARNING, "event=circuit server={0} calls={1}", "files", 1234567L);

        assertThat(text())
                .matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z WARNING event=circuit"
                                + " server=files calls=1234567\n");
    }

    @Test
    void text_valueThatCouldForgeALine_staysInItsQuotes() {
        start(LogConfig.Format.TEXT, Level.INFO)
                .log(
                        Level.INFO,
                        "event=stop reason=\"{0}\" agent={1}",
                        "it's \"bad\" {1}\nevent=forged \u2028\u202e\u001b[31m",
                        "a b=c");

        assertThat(text())
                .endsWith(
                        " INFO event=stop reason=\"it's \\\"bad\\\" {1}\\nevent=forged"
                                + " \\u2028\\u202e\\u001b[31m\" agent=\"a b=c\"\n")
                .hasLineCount(1);
    }

    @Test
    void text_concatenatedMessageWithALineEnd_isStillOneLine() {
        start(LogConfig.Format.TEXT, Level.INFO).log(Level.INFO, "event=x reason=a\nevent=forged");

        assertThat(text()).hasLineCount(1).contains("reason=\"a\\nevent=forged\"");
    }

    @Test
    void text_messageOfALibrary_isWrapped() {
        start(LogConfig.Format.TEXT, Level.INFO)
                .log(Level.INFO, "Pool {0} isn''t there\nyet", "main");

        assertThat(text())
                .endsWith(
                        " INFO event=log logger=io.penstock.test"
                                + " message=\"Pool main isn''t there\\nyet\"\n");
    }

    @Test
    void text_failure_isOneLineWithItsCauses() {
        start(LogConfig.Format.TEXT, Level.INFO)
                .log(
                        Level.WARNING,
                        "event=x",
                        new IllegalStateException("outer\nline", new RuntimeException("inner")));

        assertThat(text())
                .hasLineCount(1)
                .endsWith(
                        "event=x failure=\"java.lang.IllegalStateException: outer\\nline:"
                                + " java.lang.RuntimeException: inner\"\n");
    }

    @Test
    void text_error_hasItsTraceOnTheSameLine() {
        start(LogConfig.Format.TEXT, Level.INFO)
                .log(Level.ERROR, "event=x", new IllegalStateException("y"));

        assertThat(text()).hasLineCount(1).contains("trace=\"").contains("LogsTest");
    }

    @Test
    void json_event_isOneObject() throws Exception {
        start(LogConfig.Format.JSON, Level.INFO)
                .log(
                        Level.INFO,
                        "event=stop level={0} reason=\"{1}\"",
                        "mine",
                        "\"quoted\"\n\u0001 \ud83d\ude00 \ud83d");

        assertThat(text()).hasLineCount(1);
        JsonNode line = new ObjectMapper().readTree(text());
        assertThat(line.path("event").asText()).isEqualTo("stop");
        assertThat(line.path("level").asText()).isEqualTo("INFO");
        assertThat(line.path("level_").asText()).isEqualTo("mine");
        assertThat(line.path("reason").asText())
                .isEqualTo("\"quoted\"\n\u0001 \ud83d\ude00 \ud83d");
        assertThat(line.path("time").asText()).endsWith("Z");
    }

    @Test
    void level_below_isNotWritten() {
        System.Logger log = start(LogConfig.Format.TEXT, Level.WARNING);

        log.log(Level.INFO, "event=x");

        assertThat(text()).isEmpty();
    }

    @Test
    void chatter_ofLibraries_isHeardFromAWarningOn() {
        start(LogConfig.Format.TEXT, Level.INFO);
        for (String library : new String[] {"org.flywaydb.core.Flyway", "org.flywaydb.core.x"}) {
            java.util.logging.Logger.getLogger(library).info("chatter");
            org.slf4j.LoggerFactory.getLogger(library).info("chatter");
            org.slf4j.LoggerFactory.getLogger(library).warn("trouble");
        }
        System.getLogger("io.helidon.webserver.ServerListener").log(Level.INFO, "chatter");

        assertThat(text()).doesNotContain("chatter").hasLineCount(2);
    }

    @Test
    void chatter_whereDebugIsAskedFor_isHeard() {
        start(LogConfig.Format.TEXT, Level.DEBUG);

        java.util.logging.Logger.getLogger("org.flywaydb.core.x").fine("detail");

        assertThat(text()).contains(" DEBUG event=log logger=org.flywaydb.core.x message=detail");
    }
}
