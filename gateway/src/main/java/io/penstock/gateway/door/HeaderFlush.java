package io.penstock.gateway.door;

import io.helidon.common.GenericType;
import io.helidon.common.media.type.MediaType;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http.spi.Sink;
import io.helidon.webserver.http.spi.SinkProvider;
import io.helidon.webserver.http.spi.SinkProviderContext;
import java.util.function.BiConsumer;

/**
 * Not a sink: asking Helidon's response for one of this type, after its output stream, sends the
 * headers at once. There is no other public way to send them before the first byte.
 */
public final class HeaderFlush implements Sink<Object> {
    static final GenericType<HeaderFlush> TYPE = GenericType.create(HeaderFlush.class);

    private HeaderFlush() {}

    @Override
    public HeaderFlush emit(Object event) {
        throw new UnsupportedOperationException("only sends headers");
    }

    @Override
    public void close() {}

    /** Found by Helidon through {@code META-INF/services}. */
    public static final class Provider implements SinkProvider<Object> {

        @Override
        public boolean supports(GenericType<? extends Sink<?>> type, ServerRequest request) {
            return type.equals(TYPE);
        }

        @Override
        @SuppressWarnings("unchecked") // supports() was asked first
        public <X extends Sink<Object>> X create(SinkProviderContext context) {
            context.flushHeaders();
            return (X) new HeaderFlush();
        }

        @Override
        @Deprecated
        @SuppressWarnings("removal")
        public <X extends Sink<Object>> X create(
                ServerResponse response,
                BiConsumer<Object, MediaType> consumer,
                Runnable closeRunnable) {
            throw new UnsupportedOperationException("use the other one");
        }
    }
}
