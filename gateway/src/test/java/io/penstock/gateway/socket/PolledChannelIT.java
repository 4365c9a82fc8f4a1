package io.penstock.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A polled channel behaves as a blocking one does, at one end of a real connection. */
@Timeout(60)
final class PolledChannelIT {
    private static final int KERNEL_BYTES = 64 * 1024;

    private final Pollers pollers = new Pollers();
    private SocketChannel far;
    private PolledChannel near;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, KERNEL_BYTES);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            far = SocketChannel.open(server.getLocalAddress());
            near = pollers.take(server.accept());
        }
    }

    @AfterEach
    void close() throws IOException {
        pollers.close();
        far.close();
    }

    /** Runs it on a virtual thread, as the gateway does. */
    private static <T extends @Nullable Object> Running<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        return new Running<>(Thread.ofVirtual().start(task), task);
    }

    private record Running<T extends @Nullable Object>(Thread thread, FutureTask<T> task) {
        T result() throws Exception {
            try {
                return task.get(30, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }

        /** Waits until it waits. */
        Running<T> awaitParked() {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            return this;
        }
    }

    private void send(byte[] bytes) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.hasRemaining()) {
            int ignored = far.write(all);
        }
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    private byte[] readAll() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece;
        while ((piece = near.read()) != null) {
            assertThat(piece.length).isBetween(1, PolledChannel.PIECE_BYTES);
            all.writeBytes(piece);
        }
        return all.toByteArray();
    }

    @Test
    void read_waitsForBytes_givesThemAsTheyCame() throws Exception {
        Running<byte @Nullable []> read = PolledChannelIT.<byte @Nullable []>start(near::read);
        read.awaitParked();

        send(new byte[] {1, 2, 3});

        assertThat(read.result()).containsExactly(1, 2, 3);
    }

    @Test
    void read_muchMoreThanOnePiece_losesNothing() throws Exception {
        byte[] sent = bytes(5_000_000);
        Running<byte[]> all = start(this::readAll);

        send(sent);
        far.shutdownOutput();

        assertThat(Arrays.equals(all.result(), sent)).isTrue();
    }

    @Test
    void read_pieceBeforeTheEnd_isGivenBeforeTheEnd() throws Exception {
        send(new byte[] {7});
        far.shutdownOutput();

        assertThat(near.read()).containsExactly(7);
        assertThat(near.read()).isNull();
        assertThat(near.read()).isNull();
    }

    @Test
    void unread_senderIsHeldUpByTheKernel() throws Exception {
        far.configureBlocking(false);
        ByteBuffer much = ByteBuffer.allocate(64 * 1024 * 1024);
        int still = 0;
        while (still < 100) {
            still = far.write(much) == 0 ? still + 1 : 0;
            TimeUnit.MILLISECONDS.sleep(2);
        }

        assertThat(much.position()).isLessThan(much.capacity() / 2);
    }

    @Test
    void read_resetByPeer_fails() throws Exception {
        Running<byte @Nullable []> read = PolledChannelIT.<byte @Nullable []>start(near::read);
        read.awaitParked();

        far.setOption(StandardSocketOptions.SO_LINGER, 0);
        far.close();

        assertThatThrownBy(read::result).isInstanceOf(IOException.class);
    }

    @Test
    void close_wakesReader() {
        Running<byte @Nullable []> read = PolledChannelIT.<byte @Nullable []>start(near::read);
        read.awaitParked();

        near.close();

        assertThatThrownBy(read::result).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void close_wakesWriterThatHasNoRoom() {
        Running<Integer> write = start(this::writeForEver);
        write.awaitParked();

        near.close();

        assertThatThrownBy(write::result).isInstanceOf(IOException.class);
    }

    private int writeForEver() throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(KERNEL_BYTES);
        while (near.isOpen()) {
            int ignored = near.write(piece.clear());
        }
        return 0;
    }

    @Test
    void close_peerSeesTheEnd() throws Exception {
        near.close();

        assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @Test
    void interrupt_closesAsABlockingChannelDoes() throws Exception {
        Running<byte @Nullable []> read = PolledChannelIT.<byte @Nullable []>start(near::read);
        read.awaitParked().thread().interrupt();

        assertThatThrownBy(read::result).isInstanceOf(ClosedByInterruptException.class);
        assertThat(near.isOpen()).isFalse();
    }

    @Test
    void write_withoutRoom_goesOnWhenThePeerReads() throws Exception {
        byte[] sent = bytes(5_000_000);
        Running<Integer> write =
                start(
                        () -> {
                            ByteBuffer all = ByteBuffer.wrap(sent);
                            while (all.hasRemaining()) {
                                assertThat(near.write(all)).isPositive();
                            }
                            near.shutdownOutput();
                            return all.position();
                        });
        write.awaitParked();

        ByteBuffer got = ByteBuffer.allocate(sent.length + 1);
        while (far.read(got) >= 0) {
            assertThat(got.hasRemaining()).isTrue();
        }

        assertThat(write.result()).isEqualTo(sent.length);
        assertThat(Arrays.equals(got.array(), 0, got.position(), sent, 0, sent.length)).isTrue();
    }

    @Test
    void write_whileReading_bothGoOn() throws Exception {
        byte[] sent = bytes(2_000_000);
        Running<byte[]> read = start(this::readAll);
        Running<Integer> write = start(() -> near.write(ByteBuffer.wrap(new byte[] {1})));

        send(sent);
        far.shutdownOutput();

        assertThat(write.result()).isEqualTo(1);
        assertThat(Arrays.equals(read.result(), sent)).isTrue();
    }

    @Test
    void silent_untilSomethingArrives() throws Exception {
        assertThat(near.silent()).isTrue();
        assertThat(near.look()).isTrue();

        far.shutdownOutput();
        assertThat(near.read()).isNull();

        assertThat(near.silent()).isFalse();
        assertThat(near.look()).isFalse();
    }

    @Test
    void look_endThatNobodyHasSeenYet_isFalse() throws Exception {
        far.close();

        // Whoever is first, the poller or this thread: the end is seen.
        while (near.look()) {
            Thread.onSpinWait();
        }
        assertThat(near.look()).isFalse();
    }

    @Test
    void pollersClosed_wakesReaders_andTakesNoMore() throws Exception {
        Running<byte @Nullable []> read = PolledChannelIT.<byte @Nullable []>start(near::read);
        read.awaitParked();

        pollers.close();

        assertThatThrownBy(read::result).isInstanceOf(IOException.class);
    }

    /** Many at once, so that the busy turn is taken and given back again and again. */
    @Test
    void manyChannels_burstsAndPauses_everyByteComesBack() throws Exception {
        List<Running<Boolean>> clients = new ArrayList<>();
        List<Running<Integer>> servers = new ArrayList<>();
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < 30; i++) {
                PolledChannel client = pollers.take(SocketChannel.open(server.getLocalAddress()));
                PolledChannel echo = pollers.take(server.accept());
                Random lengths = new Random(i);
                servers.add(start(() -> echo(echo)));
                clients.add(start(() -> exchanges(client, lengths)));
            }
            for (Running<Boolean> client : clients) {
                assertThat(client.result()).isTrue();
            }
            for (Running<Integer> each : servers) {
                assertThat(each.result()).isPositive();
            }
        }
    }

    private static boolean exchanges(PolledChannel channel, Random lengths) throws Exception {
        try (channel) {
            for (int round = 0; round < 60; round++) {
                byte[] sent = bytes(1 + lengths.nextInt(40_000));
                Running<Integer> write = start(() -> writeAll(channel, sent));
                ByteArrayOutputStream back = new ByteArrayOutputStream();
                while (back.size() < sent.length) {
                    byte[] piece = channel.read();
                    if (piece == null) {
                        return false;
                    }
                    back.writeBytes(piece);
                }
                if (write.result() != sent.length || !Arrays.equals(sent, back.toByteArray())) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int echo(PolledChannel channel) throws IOException {
        int total = 0;
        byte[] piece;
        while ((piece = channel.read()) != null) {
            total += writeAll(channel, piece);
        }
        channel.close();
        return total;
    }

    private static int writeAll(PolledChannel channel, byte[] bytes) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.hasRemaining()) {
            int ignored = channel.write(all);
        }
        return bytes.length;
    }
}
