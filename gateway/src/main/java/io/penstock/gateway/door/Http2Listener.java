package io.penstock.gateway.door;

import io.helidon.common.context.Context;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.media.MediaContext;
import io.helidon.webserver.ListenerConfig;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.http.DirectHandlers;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What Helidon's HTTP/2 asks of its listener: all defaults, and bodies left as they are. */
final class Http2Listener implements ListenerContext {
    private final Context context = Context.create();
    private final MediaContext media = MediaContext.create();
    private final ContentEncodingContext encoding =
            ContentEncodingContext.builder().contentEncodingsDiscoverServices(false).build();
    private final DirectHandlers handlers = DirectHandlers.create();
    private final ListenerConfig config = ListenerConfig.create();
    private final ExecutorService streams =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("door-stream").factory());

    @Override
    public Context context() {
        return context;
    }

    @Override
    public MediaContext mediaContext() {
        return media;
    }

    @Override
    public ContentEncodingContext contentEncodingContext() {
        return encoding;
    }

    @Override
    public DirectHandlers directHandlers() {
        return handlers;
    }

    @Override
    public ListenerConfig config() {
        return config;
    }

    @Override
    public ExecutorService executor() {
        return streams;
    }
}
