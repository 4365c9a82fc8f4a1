package io.penstock.gateway.config;

/**
 * A key of the configuration, as the reference page shows it and the reader accepts it.
 *
 * @param path from the root, {@code []} for "each item of", {@code *} for "any name"
 * @param type what a value looks like
 * @param fallback what holds where the key is missing; empty where there is nothing or it is needed
 * @param meaning one sentence or two
 */
record ConfigKey(String path, ValueType type, String fallback, String meaning) {}
