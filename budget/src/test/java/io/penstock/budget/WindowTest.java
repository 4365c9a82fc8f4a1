package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

final class WindowTest {
    private static final Window.Fixed SECOND = new Window.Fixed(1_000_000);

    @Test
    void index_aroundABorder_changesThere() {
        assertThat(SECOND.index(1_999_999)).isEqualTo(1);
        assertThat(SECOND.index(2_000_000)).isEqualTo(2);
    }

    @Test
    void index_before1970_roundsDown() {
        assertThat(SECOND.index(-1)).isEqualTo(-1);
    }

    @Test
    void endsInMicros_insideAWindow_isTheRestOfIt() {
        assertThat(SECOND.endsInMicros(1, 1_400_000)).isEqualTo(600_000);
    }

    @Test
    void endsInMicros_windowAheadOfTheClock_isLongerThanTheWindow() {
        assertThat(SECOND.endsInMicros(3, 1_400_000)).isEqualTo(2_600_000);
    }

    @Test
    void new_lengthOutOfBounds_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Window.Fixed(999_999));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Window.Fixed(367L * 24 * 3600 * 1_000_000));
    }
}
