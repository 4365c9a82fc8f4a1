package io.penstock.gateway.identity;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.http.HeaderBlock;
import org.junit.jupiter.api.Test;

class OpenHeadersTest {
    private final OpenHeaders open = new OpenHeaders();

    private static HeaderBlock headers(String tenant, String agent) {
        return new HeaderBlock().add("Penstock-Tenant", tenant).add("penstock-agent", agent);
    }

    @Test
    void identify_bothNames_isThatAgent() {
        assertThat(open.identify(headers("acme", "my agent")))
                .isEqualTo(new Identity.Agent("acme", "my agent"));
    }

    @Test
    void identify_utf8InTheAgentsName_isDecoded() {
        String bytes = new String("agent é".getBytes(UTF_8), ISO_8859_1);

        assertThat(open.identify(headers("acme", bytes)))
                .isEqualTo(new Identity.Agent("acme", "agent é"));
        assertThat(open.identify(headers("acme", "latin \u00e9")))
                .isInstanceOf(Identity.Unknown.class);
    }

    @Test
    void identify_missingOrWrongName_isUnknown() {
        assertThat(open.identify(new HeaderBlock()))
                .isEqualTo(
                        new Identity.Unknown(
                                false, "Penstock-Tenant and Penstock-Agent are both needed"));
        assertThat(open.identify(new HeaderBlock().add("Penstock-Tenant", "acme")))
                .isInstanceOf(Identity.Unknown.class);
        assertThat(open.identify(headers("a/b", "agent"))).isInstanceOf(Identity.Unknown.class);
        assertThat(open.identify(headers("acme", ""))).isInstanceOf(Identity.Unknown.class);
        assertThat(open.identify(headers("acme", "a").add("Penstock-Agent", "b")))
                .isInstanceOf(Identity.Unknown.class);
    }
}
