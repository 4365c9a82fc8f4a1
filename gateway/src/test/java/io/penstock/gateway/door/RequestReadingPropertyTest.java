package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Requests in any pieces, and requests with a byte changed. */
class RequestReadingPropertyTest {
    private static final int HEADER_BYTES = 8 * 1024;
    private static final int BODY_BYTES = 100_000;

    /** A request and the bytes that say it. */
    private record Sample(String target, String value, String body, byte[] bytes) {}

    private Random random = new Random(0);
    private long seed;

    private void seed(RepetitionInfo repetition) {
        seed = Long.getLong("seed", 7919L * repetition.getCurrentRepetition());
        random = new Random(seed);
    }

    @RepeatedTest(200)
    void requests_inAnyPieces_areReadTheSame(RepetitionInfo repetition) {
        seed(repetition);
        Sample[] samples = new Sample[1 + random.nextInt(4)];
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < samples.length; i++) {
            samples[i] = sample();
            all.writeBytes(samples[i].bytes);
        }
        BodyBudget budget = new BodyBudget(2L * BODY_BYTES);
        Intake in = new Intake(pieces(all.toByteArray()));

        for (Sample each : samples) {
            assertThat(in.hasBytes() || in.more()).as("seed %d", seed).isTrue();
            RequestHead head = HeadReader.read(in, HEADER_BYTES, false);
            BodyReader reader = new BodyReader(in, BODY_BYTES, budget);
            byte[] body = reader.read(head);

            assertThat(head.method()).isEqualTo("POST");
            assertThat(head.target()).as("seed %d", seed).isEqualTo(each.target);
            assertThat(head.headers().first("x-value")).as("seed %d", seed).isEqualTo(each.value);
            assertThat(new String(body, StandardCharsets.ISO_8859_1))
                    .as("seed %d", seed)
                    .isEqualTo(each.body);
            reader.release();
        }
        assertThat(in.hasBytes() || in.more()).as("seed %d", seed).isFalse();
        assertThat(budget.taken()).isZero();
    }

    /** Whatever comes: a request within its bytes, or a refusal; nothing else is ever thrown. */
    @RepeatedTest(200)
    void request_withAByteChanged_isReadOrRefused(RepetitionInfo repetition) {
        seed(repetition);
        BodyBudget budget = new BodyBudget(2L * BODY_BYTES);
        for (int i = 0; i < 20; i++) {
            byte[] bytes = sample().bytes;
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                bytes[random.nextInt(Math.min(bytes.length, 300))] = oddByte();
            }
            Intake in = new Intake(pieces(bytes));
            BodyReader reader = new BodyReader(in, BODY_BYTES, budget);
            try {
                RequestHead head = HeadReader.read(in, HEADER_BYTES, false);
                BodyReader.check(head, BODY_BYTES);
                byte[] body = reader.read(head);
                assertThat(head.target()).as("seed %d", seed).startsWith("/");
                assertThat(body.length).isLessThanOrEqualTo(BODY_BYTES);
            } catch (RequestRefused e) {
                assertThat(e.status()).as("seed %d", seed).isBetween(400, 505);
            }
            reader.release();
            assertThat(budget.taken()).as("seed %d", seed).isZero();
        }
    }

    private byte oddByte() {
        String odd = "\r\n\t\0 :;,+-0123456789abcfx/\u007f\u00ff";
        return random.nextInt(4) == 0
                ? (byte) random.nextInt(256)
                : (byte) odd.charAt(random.nextInt(odd.length()));
    }

    private Sample sample() {
        String target = "/" + text(1 + random.nextInt(60), "abc/%?=&;.~");
        String value = text(random.nextInt(80), "abc -\t;=").strip();
        int size = random.nextInt(5) == 0 ? random.nextInt(BODY_BYTES) : random.nextInt(200);
        String body = text(size, "abc\r\n0123456789");
        String head = "POST " + target + " HTTP/1.1\r\nHost: gate\r\nX-Value:" + value + "\r\n";
        String rest = random.nextBoolean() ? chunked(body) : lengthed(body);
        return new Sample(target, value, body, (head + rest).getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String lengthed(String body) {
        return "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private String chunked(String body) {
        StringBuilder text = new StringBuilder("Transfer-Encoding: chunked\r\n\r\n");
        int at = 0;
        while (at < body.length()) {
            int size = Math.min(body.length() - at, 1 + random.nextInt(20_000));
            text.append(Integer.toHexString(size)).append("\r\n");
            text.append(body, at, at + size).append("\r\n");
            at += size;
        }
        return text.append("0\r\n\r\n").toString();
    }

    private String text(int length, String alphabet) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private Intake.Source pieces(byte[] bytes) {
        int most = random.nextInt(3) == 0 ? 3 : 8 * 1024;
        int[] at = {0};
        return () -> {
            if (at[0] == bytes.length) {
                return null;
            }
            int size = Math.min(bytes.length - at[0], 1 + random.nextInt(most));
            byte[] piece = Arrays.copyOfRange(bytes, at[0], at[0] + size);
            at[0] += size;
            return piece;
        };
    }
}
