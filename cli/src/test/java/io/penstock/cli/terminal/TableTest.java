package io.penstock.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class TableTest {
    private final StringWriter out = new StringWriter();

    private Terminal terminal(boolean color) {
        return new Terminal(new PrintWriter(out), new PrintWriter(new StringWriter()), color);
    }

    @Test
    void print_rows_areAligned() {
        new Table("NAME", "CALLS")
                .row("a", 5)
                .row("longer", Table.cell(Style.BAD, 1234))
                .print(terminal(false));

        assertThat(out.toString().lines())
                .containsExactly("NAME    CALLS", "a           5", "longer   1234");
    }

    @Test
    void print_color_doesNotMoveColumns() {
        new Table("A", "B").row(Table.cell(Style.GOOD, "x"), "y").print(terminal(true));

        assertThat(out.toString().lines().skip(1)).containsExactly("\u001b[32mx\u001b[0m  y");
    }
}
