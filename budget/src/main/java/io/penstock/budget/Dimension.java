package io.penstock.budget;

/** What a budget can be kept per, and what a scope can name. */
public enum Dimension {
    TENANT,
    AGENT,
    SERVER,
    TOOL,
    SESSION
}
