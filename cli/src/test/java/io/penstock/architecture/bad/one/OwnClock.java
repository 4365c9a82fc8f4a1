package io.penstock.architecture.bad.one;

import java.util.function.LongSupplier;

/** A clock of its own, by a method reference. */
final class OwnClock {
    final LongSupplier ticker = System::nanoTime;
}
