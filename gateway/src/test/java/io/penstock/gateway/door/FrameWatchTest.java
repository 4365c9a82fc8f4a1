package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameWatchTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 9, 10, 24, 1000})
    void frames_inAnyPieces_areSeen(int piece) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[FrameWatch.PREFACE_BYTES]);
        frame(bytes, 4, 0, 0, 18);
        frame(bytes, 1, 0, 1, 40);
        frame(bytes, 9, 0, 1, 300);
        frame(bytes, 9, 4, 1, 0);
        frame(bytes, 0, 1, 1, 66_000);
        frame(bytes, 1, 5, 0x7ffffffd, 5);
        frame(bytes, 3, 0, 0x7ffffffd, 4);
        frame(bytes, 8, 0, 0, 4);
        frame(bytes, 0, 0, 1, 0);
        frame(bytes, 0, 1, 1, 0);
        frame(bytes, 6, 0, 0, 8);
        frame(bytes, 200, 0, 0, 1);
        List<String> seen = new ArrayList<>();
        FrameWatch watch = new FrameWatch(noting(seen));

        byte[] all = bytes.toByteArray();
        for (int at = 0; at < all.length; at += piece) {
            watch.pass(Arrays.copyOfRange(all, at, Math.min(all.length, at + piece)));
        }

        assertThat(seen)
                .containsExactly(
                        "idle",
                        "headers 1 false",
                        "continued 1 false",
                        "continued 1 true",
                        "data 1",
                        "headers 2147483645 true",
                        "reset 2147483645",
                        "idle",
                        "data 1",
                        "idle",
                        "data 1",
                        "idle",
                        "idle");
    }

    private static FrameWatch.Listener noting(List<String> seen) {
        return new FrameWatch.Listener() {
            @Override
            public void headers(int stream, boolean whole) {
                seen.add("headers " + stream + " " + whole);
            }

            @Override
            public void continued(int stream, boolean last) {
                seen.add("continued " + stream + " " + last);
            }

            @Override
            public void idle() {
                seen.add("idle");
            }

            @Override
            public void data(int stream) {
                seen.add("data " + stream);
            }

            @Override
            public void reset(int stream) {
                seen.add("reset " + stream);
            }
        };
    }

    /** The payload looks like frames, to be taken for some where a length is counted wrongly. */
    private static void frame(
            ByteArrayOutputStream into, int type, int flags, int stream, int length) {
        into.write(length >>> 16);
        into.write(length >>> 8);
        into.write(length);
        into.write(type);
        into.write(flags);
        // The first bit is reserved and to be ignored.
        into.write(stream >>> 24 | 128);
        into.write(stream >>> 16);
        into.write(stream >>> 8);
        into.write(stream);
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) 3);
        into.writeBytes(payload);
    }
}
