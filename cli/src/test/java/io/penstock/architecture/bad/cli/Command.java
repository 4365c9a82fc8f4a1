package io.penstock.architecture.bad.cli;

/** What nothing may refer to. */
public final class Command {}
