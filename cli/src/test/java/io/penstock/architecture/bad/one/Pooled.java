package io.penstock.architecture.bad.one;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A thread pool. */
final class Pooled {
    final ExecutorService pool = Executors.newFixedThreadPool(1);
}
