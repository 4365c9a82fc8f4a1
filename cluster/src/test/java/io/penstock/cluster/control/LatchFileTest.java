package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatchFileTest {
    @TempDir private Path folder;

    @Test
    void read_nothingWritten_isEmpty() {
        LatchFile.Content content = new LatchFile(folder.resolve("latch")).read();

        assertThat(content.orders()).isEmpty();
        assertThat(content.unreadable()).isNull();
    }

    @Test
    void read_whatWasWritten_isTheSame() throws IOException {
        StopOrder order =
                new StopOrder(
                        List.of(
                                new StopOrder.Target(UUID.randomUUID(), new Scope.All()),
                                new StopOrder.Target(
                                        UUID.randomUUID(), new Scope.Agent("acme", "a/b"))),
                        "say \"stop\"",
                        "tester",
                        true,
                        true);
        LatchFile file = new LatchFile(folder.resolve("latch"));
        file.write(List.of(order, order));

        file.write(List.of(order));

        assertThat(new LatchFile(folder.resolve("latch")).read().orders()).containsExactly(order);
        assertThat(folder).isDirectoryNotContaining("glob:**.next");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "{\"version\":2,\"orders\":[]}",
                "{\"version\":1,\"orders\":[{}]}",
                "{\"version\":1,\"orders\":[{\"reason\":\"r\",\"actor\":\"a\",\"targets\":[{\"id\":\"x\"}]}]}",
                "{\"version\":1,\"orders\":7}",
                "{\"version\":1}"
            })
    void read_broken_stopsEverything(String text) throws IOException {
        Path path = folder.resolve("latch");
        Files.writeString(path, text);

        Stop stop = new LatchFile(path).read().unreadable();

        assertThat(stop).extracting(Stop::scope).isEqualTo(new Scope.All());
        assertThat(stop).extracting(Stop::reason).asString().contains(path.toString());
    }
}
