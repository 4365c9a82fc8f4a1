package io.penstock.architecture.bad.one;

import java.util.concurrent.CompletableFuture;

/** A future in a signature. */
interface Futuristic {
    CompletableFuture<String> later();
}
