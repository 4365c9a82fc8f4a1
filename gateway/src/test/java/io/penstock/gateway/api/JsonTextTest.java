package io.penstock.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class JsonTextTest {

    @Test
    void quoted_everyCharacter_isReadBackAsItWas() throws IOException {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 0xd800; c++) {
            all.append(c);
        }
        String text = all.append("😀").toString();

        String read = new ObjectMapper().readValue(JsonText.quoted(text), String.class);

        assertThat(read).isEqualTo(text);
    }

    @Test
    void bytes_nestedObjects_areJson() throws IOException {
        byte[] bytes =
                new JsonText()
                        .begin()
                        .add("a", "x\"\n")
                        .begin("b")
                        .add("c", 1)
                        .end()
                        .add("d", true)
                        .addRaw("e", "[1]")
                        .end()
                        .bytes();

        assertThat(new ObjectMapper().readTree(bytes).toString())
                .isEqualTo("{\"a\":\"x\\\"\\n\",\"b\":{\"c\":1},\"d\":true,\"e\":[1]}");
    }
}
