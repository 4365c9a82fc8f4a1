package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.ZoneId;
import java.util.List;
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

    @Test
    void ofSpec_everyKind_comesBack() {
        for (Window window :
                List.of(
                        new Window.Fixed(1_000_000),
                        new Window.Fixed(86_400_000_000L),
                        new Window.Calendar(Window.Calendar.Span.DAY, ZoneId.of("Europe/Berlin")),
                        new Window.Calendar(Window.Calendar.Span.WEEK, ZoneId.of("UTC")),
                        new Window.Calendar(Window.Calendar.Span.MONTH, ZoneId.of("Asia/Tokyo")),
                        new Window.Sliding(60_000_000),
                        new Window.Rate(1_000_000, 20),
                        new Window.Lifetime(),
                        new Window.Session(1_800_000_000),
                        new Window.Open())) {
            assertThat(Window.ofSpec(window.spec(), 20)).as(window.words()).isEqualTo(window);
        }
    }

    @Test
    void ofSpec_nonsense_isRefused() {
        for (String spec : List.of("", "?", "x5", "dNowhere/Nothing", "s", "r-1")) {
            assertThatIllegalArgumentException().as(spec).isThrownBy(() -> Window.ofSpec(spec, 1));
        }
    }
}
