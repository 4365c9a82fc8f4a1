package io.penstock.cli.terminal;

/** How text looks where colours show. */
public enum Style {
    PLAIN("\u001b[0m"),
    BOLD("\u001b[1m"),
    DIM("\u001b[2m"),
    GOOD("\u001b[32m"),
    WARNING("\u001b[33m"),
    BAD("\u001b[31m");

    static final String RESET = "\u001b[0m";

    private final String code;

    Style(String code) {
        this.code = code;
    }

    String code() {
        return code;
    }
}
