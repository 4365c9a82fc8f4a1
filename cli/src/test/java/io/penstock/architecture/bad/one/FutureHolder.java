package io.penstock.architecture.bad.one;

import java.util.concurrent.CompletableFuture;

/** A future in a field. */
record FutureHolder(CompletableFuture<String> later) {}
