package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RateHeadersTest {
    @Test
    void of_twoBudgets_takesTheFirst() {
        assertThat(
                        RateHeaders.of(
                                "\"b\";r=0;t=4, \"a\";r=9;t=60",
                                "\"a\";q=10;w=60, \"b\";q=100;w=10"))
                .contains(new RateHeaders("b", 100, 10, 0, 4));
    }

    @Test
    void of_noHeader_isNothing() {
        assertThat(RateHeaders.of(null, null)).isEmpty();
        assertThat(RateHeaders.of("", "")).isEmpty();
    }
}
