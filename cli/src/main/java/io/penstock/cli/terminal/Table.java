package io.penstock.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Rows under aligned headings. Columns of numbers are aligned to the right. */
public final class Table {
    private static final String GAP = "  ";

    /** What stands in a column. */
    public record Cell(String text, Style style) {}

    private final List<String> headings;
    private final List<List<Cell>> rows = new ArrayList<>();

    public Table(String... headings) {
        this.headings = List.of(headings);
    }

    /** Adds a row: strings, cells, or anything whose text is wanted. */
    public Table row(Object... values) {
        if (values.length != headings.size()) {
            throw new IllegalArgumentException(
                    values.length + " values for " + headings.size() + " columns");
        }
        List<Cell> cells = new ArrayList<>();
        for (Object value : values) {
            cells.add(value instanceof Cell cell ? cell : new Cell(value.toString(), Style.PLAIN));
        }
        rows.add(cells);
        return this;
    }

    public static Cell cell(Style style, Object value) {
        return new Cell(value.toString(), style);
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public void print(Terminal terminal) {
        List<Cell> heads = headings.stream().map(text -> new Cell(text, Style.DIM)).toList();
        terminal.line(line(terminal, heads));
        rows.forEach(row -> terminal.line(line(terminal, row)));
    }

    private String line(Terminal terminal, List<Cell> cells) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            Cell cell = cells.get(column);
            String padding = " ".repeat(width(column) - cell.text().length());
            String text =
                    cell.style() == Style.PLAIN
                            ? cell.text()
                            : terminal.styled(cell.style(), cell.text());
            line.append(numeric(column) ? padding + text : text + padding).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private int width(int column) {
        int width = headings.get(column).length();
        for (List<Cell> row : rows) {
            width = Math.max(width, row.get(column).text().length());
        }
        return width;
    }

    private boolean numeric(int column) {
        return !rows.isEmpty()
                && rows.stream()
                        .allMatch(row -> row.get(column).text().matches("-?[0-9][0-9.,]*%?|-"));
    }
}
