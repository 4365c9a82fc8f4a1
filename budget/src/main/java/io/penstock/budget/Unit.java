package io.penstock.budget;

/** What a budget counts. */
public enum Unit {
    CALLS
}
