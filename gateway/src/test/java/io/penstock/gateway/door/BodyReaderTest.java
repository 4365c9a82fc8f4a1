package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.http.HeaderBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyReaderTest {
    private static final int MOST = 1 << 20;

    @Test
    void body_announcedButNotSent_takesNoMemory() {
        BodyBudget budget = new BodyBudget(MOST);
        BodyReader reader = new BodyReader(intake(), MOST, budget);

        assertThatThrownBy(() -> reader.read(lengthed(MOST))).isInstanceOf(RequestRefused.class);

        assertThat(budget.taken()).isZero();
    }

    @Test
    void body_whole_isOneArrayOfItsLength() {
        BodyReader reader = new BodyReader(intake("hel", "lo"), MOST, new BodyBudget(MOST));

        assertThat(reader.read(lengthed(5))).isEqualTo("hello".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void body_thatComesAtOnce_needsNoBudget() {
        Intake in = intake("hello");
        assertThat(in.more()).isTrue();
        BodyReader reader = new BodyReader(in, MOST, new BodyBudget(0));

        assertThat(reader.read(lengthed(5))).hasSize(5);
    }

    @Test
    void budget_usedUpByOthers_refusesAsOverloaded() {
        BodyBudget budget = new BodyBudget(30_000);
        BodyReader first = new BodyReader(intake("a".repeat(20_000)), MOST, budget);
        BodyReader second = new BodyReader(intake("a".repeat(20_000)), MOST, budget);
        assertThat(first.read(lengthed(20_000))).hasSize(20_000);

        assertThatThrownBy(() -> second.read(lengthed(20_000)))
                .isInstanceOfSatisfying(
                        RequestRefused.class,
                        refused -> assertThat(refused.status()).isEqualTo(503));
        second.release();
        first.release();

        assertThat(budget.taken()).isZero();
    }

    private static RequestHead lengthed(long length) {
        return new RequestHead("POST", "/", new HeaderBlock(), length, false, false, false);
    }

    private static Intake intake(String... pieces) {
        Deque<String> left = new ArrayDeque<>(List.of(pieces));
        return new Intake(
                () -> {
                    String piece = left.poll();
                    return piece == null ? null : piece.getBytes(StandardCharsets.US_ASCII);
                });
    }
}
