package io.penstock.cluster.control;

import java.time.InstantSource;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What comes from outside and tests want to choose.
 *
 * @param ticker monotonic, nanoseconds
 * @param wall the machine's clock
 * @param ids random, never the same twice
 */
public record Clocks(LongSupplier ticker, InstantSource wall, Supplier<UUID> ids) {}
