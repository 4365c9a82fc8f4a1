package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Clients that never let their connection wait, without a credential: a carrier thread that served
 * them as long as they like would keep out every call that a timer, a lane or a poller has woken.
 */
final class GreedyClientsIT {
    private static final int GREEDY = 4;
    private static final int CALLS = 8;
    private static final byte[] PIPELINED =
            "GET /nowhere HTTP/1.1\r\nHost: gate\r\n\r\n"
                    .repeat(500)
                    .getBytes(StandardCharsets.US_ASCII);

    @Test
    void requestsPipelinedWithoutEnd_leaveOthersTheirTurns() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        try (Gate gate = Gate.prepare(settings -> settings)) {
            Replica replica = gate.add("narrow").launchOnOneCarrier();
            replica.awaitAdmitting();
            byte[] call = Requests.toolCall(Settings.KEY, "tools", "echo", 1);
            Gate.awaitAdmitted(replica.port(), call);
            for (int i = 0; i < GREEDY; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), replica.port());
                threads.add(Thread.ofPlatform().daemon().start(() -> flood(socket, done)));
                threads.add(Thread.ofPlatform().daemon().start(() -> swallow(socket)));
            }
            long started = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                // Whether the machine is too busy to admit it is not asked here: it is answered.
                assertThat(Gate.call(replica.port(), call).status()).isEqualTo(200);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - started))
                    .isLessThan(Duration.ofSeconds(30));
            done.set(true);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void flood(Socket socket, AtomicBoolean done) {
        try (socket) {
            while (!done.get()) {
                socket.getOutputStream().write(PIPELINED);
            }
        } catch (IOException e) {
            // The replica has ended.
        }
    }

    private static void swallow(Socket socket) {
        byte[] away = new byte[1 << 16];
        try (InputStream in = socket.getInputStream()) {
            int read = 0;
            while (read >= 0) {
                read = in.read(away);
            }
        } catch (IOException e) {
            // Closed at the end of the test.
        }
    }
}
