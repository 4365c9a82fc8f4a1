package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.http.HeaderBlock;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseHeadTest {
    private final ResponseHead head = new ResponseHead();

    @Test
    void head_laidOut_isWhatGoesOut() {
        head.status(404);
        head.headers(new HeaderBlock().add("X-A", "b \t\u00e9").add("Date", "dropped"));
        head.contentLength(1234567);
        head.line();

        assertThat(text())
                .isEqualTo(
                        "HTTP/1.1 404 Not Found\r\n"
                                + "X-A: b \t\u00e9\r\n"
                                + "Content-Length: 1234567\r\n\r\n");
    }

    @Test
    void chunkSize_anyNumber_isHexadecimal() {
        for (int size : new int[] {1, 15, 16, 255, 4096, 65536, Integer.MAX_VALUE}) {
            head.clear();
            head.chunkSize(size);

            assertThat(text()).isEqualTo(Integer.toHexString(size) + "\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nb", "a\nb", "a\rb", "a\0b", "a\u007fb", "a\u0100b", "\u560a"})
    void value_thatCannotBeSent_isRefused(String value) {
        HeaderBlock headers = new HeaderBlock().add("X-A", value);

        assertThatThrownBy(() -> head.headers(headers))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ResponseHead.check("X-A", value))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:", "a\r\nb", "\u00e9", "\u0141"})
    void name_thatCannotBeSent_isRefused(String name) {
        HeaderBlock headers = new HeaderBlock().add(name, "b");

        assertThatThrownBy(() -> head.headers(headers))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ResponseHead.check(name, "b"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void array_grownForALargeAnswer_isNotKept() {
        head.raw(new byte[1 << 20]);
        head.clear();

        assertThat(head.length()).isZero();
        assertThat(head.bytes().length).isLessThan(64 * 1024);
    }

    private String text() {
        return new String(head.bytes(), 0, head.length(), StandardCharsets.ISO_8859_1);
    }
}
