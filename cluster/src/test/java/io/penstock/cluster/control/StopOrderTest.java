package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the database would refuse must not be latched: it could never be recorded. */
class StopOrderTest {
    private static final StopOrder.Target ALL =
            new StopOrder.Target(new UUID(1, 1), new Scope.All());

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\0b"})
    void reason_thatCannotBeRecorded_isRefused(String reason) {
        assertRefused(() -> new StopOrder(List.of(ALL), reason, "me", false, false));
    }

    @Test
    void reason_tooLong_isRefused() {
        assertRefused(() -> new StopOrder(List.of(ALL), "x".repeat(1001), "me", false, false));
    }

    @Test
    void targets_noneTooManyOrTheSameTwice_isRefused() {
        assertRefused(() -> new StopOrder(List.of(), "drill", "me", false, false));
        assertRefused(() -> new StopOrder(List.of(ALL, ALL), "drill", "me", false, false));
        assertRefused(
                () -> new StopOrder(Collections.nCopies(101, ALL), "drill", "me", false, false));
    }

    @Test
    void target_unknownScope_isRefused() {
        assertRefused(() -> new StopOrder.Target(new UUID(1, 1), Scope.read("session", "x")));
        assertRefused(() -> new StopOrder.Target(new UUID(1, 1), Scope.read("tenant", "a\0b")));
    }

    private static void assertRefused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable making) {
        assertThatThrownBy(making).isInstanceOf(IllegalArgumentException.class);
    }
}
