package io.penstock.gateway.door;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.http.RequestHandler;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** What all connections of one listener share. */
final class Door {
    /** Of the heap, what bodies that are being read or answered may take together. */
    private static final int HEAP_SHARE = 4;

    final LimitsConfig limits;
    final RequestHandler handler;
    final LongSupplier ticker;
    final DoorEvents events;
    final DateLine date;
    final BodyBudget bodies = new BodyBudget(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
    final Set<DoorConnection> open = ConcurrentHashMap.newKeySet();
    final AtomicInteger calls = new AtomicInteger();
    volatile boolean draining;

    Door(
            LimitsConfig limits,
            RequestHandler handler,
            LongSupplier ticker,
            InstantSource clock,
            DoorEvents events) {
        this.limits = limits;
        this.handler = handler;
        this.ticker = ticker;
        this.events = events;
        date = new DateLine(clock);
    }
}
