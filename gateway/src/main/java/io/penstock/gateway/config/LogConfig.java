package io.penstock.gateway.config;

/** How a replica logs: one line an event. */
public record LogConfig(Format format, System.Logger.Level level) {

    /** The shape of a line. */
    public enum Format {
        TEXT,
        JSON
    }
}
