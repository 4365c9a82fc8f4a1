package io.penstock.gateway.door;

import io.helidon.common.socket.HelidonSocket;
import io.penstock.gateway.door.RequestRefused.Reason;
import io.penstock.gateway.http.Reply.ClientGone;

/**
 * Tells a client whose HTTP/1.1 request did not come in time, and that nothing more will come.
 *
 * <p><b>Threads.</b> One of its own: the connection's waits for the client. Nobody else writes, see
 * {@link Pace#readingEnds}.
 */
final class LateAnswer implements Runnable {
    private static final RequestRefused LATE =
            new RequestRefused(408, Reason.TOO_SLOW, "The request did not come in time.");

    private final Door door;
    private final HelidonSocket socket;
    private final Pace pace;
    private final Intake in;

    LateAnswer(Door door, HelidonSocket socket, Pace pace, Intake in) {
        this.door = door;
        this.socket = socket;
        this.pace = pace;
        this.in = in;
    }

    @Override
    public void run() {
        Http1Reply reply = new Http1Reply(door, socket, pace, in, new ResponseHead(), false, true);
        byte[] body = Problem.body(LATE);
        try {
            reply.send(LATE.status(), door.refusal(LATE), body, 0, body.length);
            if (socket instanceof TlsSocket secure) {
                secure.sayClose();
            }
        } catch (ClientGone e) {
            // Nobody is left to tell.
        }
        pace.endOutput();
    }
}
