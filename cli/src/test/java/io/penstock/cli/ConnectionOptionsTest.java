package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.gateway.config.DatabaseSection.Login;
import io.penstock.gateway.config.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConnectionOptionsTest {
    private static final String URL = "jdbc:postgresql://db/penstock";

    @TempDir Path folder;
    private final Map<String, String> environment = new HashMap<>();
    private final ConnectionOptions options = new ConnectionOptions();

    @BeforeEach
    void noOtherUp() {
        environment.put("PENSTOCK_RUNTIME_DIR", folder.resolve("run").toString());
    }

    private Path config(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    void target_nothingGiven_saysWhatToGive() {
        assertThatThrownBy(() -> options.target(environment))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--database")
                .hasMessageContaining("penstock up");
    }

    @Test
    void target_flags_winOverEnvironment() throws IOException {
        options.url = URL;
        options.user = "op";
        options.passwordFile = config("pw", "secret\n");
        environment.put("PENSTOCK_DATABASE_URL", "jdbc:postgresql://other/x");
        environment.put("PGPASSWORD", "other");

        assertThat(options.target(environment))
                .isEqualTo(
                        new ConnectionOptions.Target(
                                URL, new Login("op", new Secret("secret")), "--database"));
    }

    @Test
    void target_configFile_givesTheOperatorsLogin() throws IOException {
        options.config =
                config(
                        "a.yaml",
                        "database: { url: \""
                                + URL
                                + "\", user: gate, operator: { user: op, password: x } }");

        assertThat(options.target(environment).login()).isEqualTo(new Login("op", new Secret("x")));
    }

    @Test
    void target_databaseVariable_winsOverConfigVariable() throws IOException {
        environment.put("PENSTOCK_DATABASE_URL", URL);
        environment.put(
                "PENSTOCK_CONFIG", config("b.yaml", "database: { url: embedded }").toString());

        assertThat(options.target(environment).url()).isEqualTo(URL);
    }

    @Test
    void target_embeddedConfig_isRefused() throws IOException {
        options.config = config("c.yaml", "database: { url: embedded }");

        assertThatThrownBy(() -> options.target(environment)).hasMessageContaining("embedded");
    }
}
