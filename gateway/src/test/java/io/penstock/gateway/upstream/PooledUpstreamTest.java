package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Connections are kept, bounded, and replaced when the other side has closed them. */
final class PooledUpstreamTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    @Test
    void exchange_afterExchange_usesTheSameConnection() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, OK));
                PooledUpstream upstream = Exchanges.upstream(server)) {
            for (int i = 0; i < 5; i++) {
                assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");
            }

            assertThat(server.connections()).isEqualTo(1);
            assertThat(upstream.idleConnections()).isEqualTo(1);
        }
    }

    private static void serve(ScriptedServer.Peer peer, String answer) throws Exception {
        while (peer.request() != null) {
            peer.say(answer);
        }
    }
}
