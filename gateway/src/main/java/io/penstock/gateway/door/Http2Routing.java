package io.penstock.gateway.door;

import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpSecurity;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply.ClientGone;
import java.lang.System.Logger.Level;

/**
 * Takes one HTTP/2 request from Helidon, on the stream's own thread, to the handler.
 *
 * <p>A {@link CloseConnectionException} thrown from here resets the stream, not the connection.
 */
final class Http2Routing implements HttpRouting {
    private static final System.Logger LOG = System.getLogger(Http2Routing.class.getName());

    @Override
    public void route(ConnectionContext context, RoutingRequest request, RoutingResponse response) {
        Http2Link link = ((Http2Context) context).link();
        Http2Exchange exchange = link.begin(request.id());
        if (exchange == null) {
            throw new CloseConnectionException("came after the goodbye");
        }
        try {
            serve(link, exchange, request, response);
        } finally {
            exchange.ended();
            link.end(exchange);
        }
    }

    private static void serve(
            Http2Link link,
            Http2Exchange exchange,
            RoutingRequest request,
            RoutingResponse response) {
        Door door = link.door();
        long arrived = door.ticker.getAsLong();
        Http2Request reading = new Http2Request(door, exchange, request);
        Http2Reply reply = new Http2Reply(door, exchange, response, reading.isHead());
        try {
            InboundRequest inbound =
                    reading.read(request.remotePeer().address(), link.certificate(), arrived);
            answer(door, inbound, reply);
        } catch (RequestRefused e) {
            refuse(door, e, reading, reply);
        } catch (ClientGone e) {
            if (!reply.ended()) {
                throw new CloseConnectionException("client gone", e);
            }
        } finally {
            reading.release();
        }
        if (!reply.ended()) {
            throw new CloseConnectionException("answer cut short");
        }
    }

    private static void answer(Door door, InboundRequest request, Http2Reply reply) {
        door.calls.incrementAndGet();
        try {
            door.handler.handle(request, reply);
            if (!reply.begun()) {
                unanswered(reply);
            }
        } catch (ClientGone e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "event=handler-failed protocol=h2", e);
            if (!reply.begun()) {
                unanswered(reply);
            }
        } finally {
            boolean ignored = Thread.interrupted();
            door.calls.decrementAndGet();
        }
    }

    private static void unanswered(Http2Reply reply) {
        byte[] body = Problem.body(500, "internal", "The gateway failed.");
        reply.send(500, Problem.headers(500), body, 0, body.length);
    }

    private static void refuse(
            Door door, RequestRefused refused, Http2Request reading, Http2Reply reply) {
        door.events.refused(refused.reason().label());
        byte[] body = Problem.body(refused);
        try {
            reply.send(refused.status(), door.refusal(refused), body, 0, body.length);
        } catch (ClientGone e) {
            throw new CloseConnectionException("client gone", e);
        }
        reading.discard();
    }

    @Override
    public HttpSecurity security() {
        return HttpSecurity.create();
    }

    @Override
    public void beforeStart() {}

    @Override
    public void afterStop() {}
}
