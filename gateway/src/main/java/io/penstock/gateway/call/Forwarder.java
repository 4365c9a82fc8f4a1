package io.penstock.gateway.call;

import io.penstock.budget.Charge;
import io.penstock.budget.Mode;
import io.penstock.cluster.admission.Admission;
import io.penstock.cluster.admission.Verdict;
import io.penstock.cluster.control.ControlView;
import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.journal.Outcome;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.upstream.Exchange;
import io.penstock.gateway.upstream.UpstreamException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends one admitted call to its upstream and its answer back to the client.
 *
 * <p><b>Guarantee.</b> The first byte leaves inside a send section, under the snapshot it was
 * judged by. A request is sent a second time only if the first try provably wrote nothing, and then
 * in a send section of its own. While the lease has lapsed no byte of an answer is passed on, and
 * no further piece of a request.
 *
 * <p><b>Failure.</b> What was not sent comes back as {@link End.NotSent}, for the caller to give
 * its units back and refuse; every other end is answered here, settled and journaled.
 *
 * <p><b>Threads.</b> One call's own virtual thread each.
 *
 * <p><b>Source.</b> Protocol page, section 3.
 */
public final class Forwarder {
    /** Up to this length an answer of known length is read whole and sent with one write. */
    private static final int WHOLE_BYTES_MAX = 64 * 1024;

    private static final int CHUNK_BYTES = 16 * 1024;
    private static final int TRIES_MAX = 2;
    private static final long LAPSE_POLL_NANOS = 2_000_000;

    private static final byte[] EVENT_END = {'\n', '\n'};

    /** How a forwarded call ended. */
    sealed interface End {
        /** The client has been answered, or is gone. */
        record Answered() implements End {}

        /** Nothing was sent and nobody has been answered. */
        record NotSent(Refusal refusal) implements End {}
    }

    private static final End ANSWERED = new End.Answered();

    private final ControlView view;
    private final OpenCallRegistry registry;
    private final Admission admission;
    private final CallJournal journal;
    private final DecisionHeaders headers;
    private final CallObserver observer;
    private final Duration streamGrace;
    private final LongSupplier ticker;

    public Forwarder(
            ControlView view,
            OpenCallRegistry registry,
            Admission admission,
            CallJournal journal,
            DecisionHeaders headers,
            CallObserver observer,
            Duration streamGrace,
            LongSupplier ticker) {
        this.view = view;
        this.registry = registry;
        this.admission = admission;
        this.journal = journal;
        this.headers = headers;
        this.observer = observer;
        this.streamGrace = streamGrace;
        this.ticker = ticker;
    }

    /** Sees the call through; see the class for what is guaranteed. */
    End forward(Call call, Decision.Pass pass, Reply reply) {
        OpenCall open = new OpenCall(call, pass.target().config(), reply, ticker.getAsLong());
        registry.add(open);
        Passage passage = new Passage(call, pass, reply, open);
        try {
            return passage.run();
        } catch (RuntimeException | Error e) {
            passage.spent(false);
            throw e;
        } finally {
            registry.remove(open);
        }
    }

    /** One call's way there and back. */
    private final class Passage {
        private final Call call;
        private final Decision.Pass pass;
        private final Reply reply;
        private final OpenCall open;
        private long sentNanos;
        private int status;
        private long answerBytes;
        private boolean events;
        private boolean insideEvent;
        private final @Nullable Metering metering;

        Passage(Call call, Decision.Pass pass, Reply reply, OpenCall open) {
            this.call = call;
            this.pass = pass;
            this.reply = reply;
            this.open = open;
            metering =
                    Metering.of(pass.admitted(), call.body().length, call.dialect().resultRoot());
        }

        End run() {
            for (int attempt = 1; ; attempt++) {
                Exchange exchange;
                try {
                    exchange = pass.target().upstream().open();
                } catch (UpstreamException e) {
                    pass.permission().failed(e, 0);
                    return notSent(Refusals.upstreamUnavailable("could not be reached"));
                }
                if (!open.attach(exchange)) {
                    exchange.cut();
                    return notSentAndUnused(cutRefusal());
                }
                try {
                    Judgement judgement = sendFirst(exchange);
                    if (judgement != Judgement.CLEAR) {
                        exchange.finish();
                        return notSentAndUnused(Refusals.of(judgement));
                    }
                } catch (UpstreamException e) {
                    exchange.cut();
                    if (exchange.sent()) {
                        return broken(exchange, e);
                    }
                    boolean writable = e.kind() != UpstreamException.Kind.BAD_REQUEST;
                    if (writable && open.cut() == null && attempt < TRIES_MAX) {
                        continue;
                    }
                    return neverLeft(e);
                }
                return receive(exchange);
            }
        }

        /** Judges and writes the head in one send section; says what stood against it. */
        private Judgement sendFirst(Exchange exchange) {
            while (true) {
                Snapshot expected = view.current();
                exchange.prepare(
                        call.method(), call.target(), upstreamHeaders(expected), call.body());
                open.beginSend(expected.epoch());
                Snapshot state = view.enter();
                try {
                    if (state.epoch() != expected.epoch()) {
                        continue;
                    }
                    long now = ticker.getAsLong();
                    Judgement judgement = judge(state, now);
                    if (judgement == Judgement.CLEAR) {
                        sentNanos = now;
                        exchange.sendFirst();
                    }
                    return judgement;
                } finally {
                    state.leave();
                    open.endSend(ticker.getAsLong());
                }
            }
        }

        private Judgement judge(Snapshot state, long now) {
            Judgement judgement = state.judge(call.subject(), now);
            boolean ungoverned = CallPath.mode(state, pass.target()) == Mode.OFF;
            return ungoverned && judgement instanceof Judgement.Blocked
                    ? Judgement.CLEAR
                    : judgement;
        }

        private HeaderBlock upstreamHeaders(Snapshot state) {
            HeaderBlock block = call.headers();
            block.set("Penstock-Call", call.id().toString());
            block.set("Penstock-Epoch", Long.toString(state.epoch()));
            block.set("Penstock-Not-After", Long.toString(state.notAfterMillis()));
            if (block.first("traceparent") == null) {
                block.add("traceparent", Traceparent.of(call.id()));
            }
            return block;
        }

        private End receive(Exchange exchange) {
            reply.whenGone(() -> open.cut(new Cut.ClientGone(), ticker.getAsLong()));
            try {
                exchange.sendRest(this::mayGoOn);
                status = exchange.readHead();
                long answeredNanos = ticker.getAsLong();
                open.answered(answeredNanos);
                HeaderBlock block = answerHeaders(exchange);
                long length = exchange.contentLength();
                if (length >= 0 && length <= WHOLE_BYTES_MAX) {
                    whole(exchange, block, (int) length);
                } else {
                    stream(exchange, block);
                }
                exchange.finish();
                long now = ticker.getAsLong();
                pass.permission().answered(status, answeredNanos - sentNanos);
                observer.upstreamTook(call.subject().server(), now - sentNanos);
                settle(Outcome.Kind.COMPLETED);
                return ANSWERED;
            } catch (UpstreamException e) {
                return broken(exchange, e);
            } catch (CutShort e) {
                return broken(exchange, null);
            } catch (Reply.ClientGone e) {
                exchange.cut();
                pass.permission().unused();
                Cut cut = open.cut();
                settle(cut == null ? Outcome.Kind.CLIENT_GONE : cut.outcome());
                return ANSWERED;
            }
        }

        private HeaderBlock answerHeaders(Exchange exchange) {
            HeaderBlock block = exchange.headers();
            if (metering != null) {
                metering.head(block);
            }
            call.dialect().answered(status, block);
            headers.add(block, "admitted", call.id());
            DecisionHeaders.addStandings(block, pass.standings());
            for (String budget : pass.warnings()) {
                block.add("Penstock-Warning", "budget " + budget);
            }
            return block;
        }

        private void whole(Exchange exchange, HeaderBlock block, int length) {
            meter(null, length);
            byte[] body = new byte[length];
            int filled = 0;
            while (filled < length) {
                int count = exchange.read(body, filled, length - filled);
                if (count < 0) {
                    throw new UpstreamException(
                            UpstreamException.Kind.BROKE_OFF, "the answer ended early");
                }
                filled += count;
                if (filled < length) {
                    open.progress(ticker.getAsLong());
                }
            }
            meter(body, length);
            awaitLease();
            beginWrite();
            try {
                reply.send(status, block, body, 0, length);
            } finally {
                open.endWrite();
            }
            answerBytes = length;
        }

        private void stream(Exchange exchange, HeaderBlock block) {
            String type = block.first("Content-Type");
            events = type != null && type.startsWith("text/event-stream");
            awaitLease();
            beginWrite();
            try {
                reply.begin(status, block);
            } finally {
                open.endWrite();
            }
            byte[] buffer = new byte[CHUNK_BYTES];
            int count;
            while ((count = exchange.read(buffer, 0, buffer.length)) >= 0) {
                open.progress(ticker.getAsLong());
                awaitLease();
                meter(buffer, count);
                write(buffer, count);
            }
            beginWrite();
            try {
                reply.end();
            } finally {
                open.endWrite();
            }
        }

        /**
         * Lets so much of the answer pass, or cuts the call where it would use more than it holds.
         *
         * @param buffer null to look ahead only
         */
        private void meter(byte @Nullable [] buffer, int count) {
            if (metering == null) {
                return;
            }
            Charge charge = metering.tooLong(count);
            if (charge != null) {
                open.cut(
                        new Cut.OverHold(Refusals.overHold(charge, call.subject())),
                        ticker.getAsLong());
                throw new CutShort();
            }
            if (buffer != null) {
                metering.passed(buffer, count);
            }
        }

        /** Ends what the call holds; once, whatever its way out. */
        void spent(boolean complete) {
            Verdict.Admitted admitted = pass.admitted();
            if (admitted != null && metering != null) {
                admission.settle(admitted, metering.spent(complete));
            }
        }

        private void write(byte[] buffer, int count) {
            beginWrite();
            try {
                reply.write(buffer, 0, count);
            } finally {
                open.endWrite();
            }
            answerBytes += count;
            insideEvent = count < 2 || buffer[count - 1] != '\n' || buffer[count - 2] != '\n';
            open.progress(ticker.getAsLong());
        }

        private void beginWrite() {
            if (!open.beginWrite()) {
                throw new CutShort();
            }
        }

        /** Waits as {@link #awaitLease}, for the rest of the request; false if the call was cut. */
        private boolean mayGoOn() {
            try {
                awaitLease();
                return open.cut() == null;
            } catch (CutShort e) {
                return false;
            }
        }

        /**
         * Holds the answer back while the lease has lapsed; cuts the call if it does not come back
         * in time.
         */
        private void awaitLease() {
            long began = ticker.getAsLong();
            long now = began;
            while (now - view.current().trustedUntilNanos() >= 0) {
                if (open.cut() != null) {
                    throw new CutShort();
                }
                if (now - began > streamGrace.toNanos()) {
                    open.cut(new Cut.Judged(Judgement.STALE), now);
                    throw new CutShort();
                }
                LockSupport.parkNanos(LAPSE_POLL_NANOS);
                now = ticker.getAsLong();
            }
        }

        /** The answer did not come to its end: tells the client as well as is still possible. */
        private End broken(Exchange exchange, @Nullable UpstreamException cause) {
            exchange.cut();
            Cut cut = open.cut();
            long elapsed = ticker.getAsLong() - sentNanos;
            if (cut == null || cut instanceof Cut.Overdue) {
                pass.permission()
                        .failed(
                                cause == null
                                        ? new UpstreamException(
                                                UpstreamException.Kind.BROKE_OFF, "overdue")
                                        : cause,
                                elapsed);
            } else {
                pass.permission().unused();
            }
            settle(cut == null ? Outcome.Kind.UPSTREAM_FAILED : cut.outcome());
            if (!(cut instanceof Cut.ClientGone)) {
                tell(
                        cut == null
                                ? Refusals.upstreamUnavailable("broke off its answer")
                                : cut.refusal());
            }
            return ANSWERED;
        }

        private void tell(Refusal refusal) {
            try {
                if (!reply.begun()) {
                    HeaderBlock block = new HeaderBlock();
                    headers.add(block, refusal.code().label(), call.id());
                    DecisionHeaders.addStandings(block, pass.standings());
                    call.dialect().refuse(reply, refusal, block);
                    return;
                }
                byte[] last = events ? call.dialect().lastEvent(refusal) : null;
                if (last != null) {
                    if (insideEvent) {
                        reply.write(EVENT_END, 0, EVENT_END.length);
                    }
                    reply.write(last, 0, last.length);
                    reply.end();
                } else if (events && call.endless()) {
                    reply.end();
                } else {
                    reply.abort();
                }
            } catch (Reply.ClientGone e) {
                // Nobody is left to tell; the outcome is journaled already.
                return;
            }
        }

        private End neverLeft(UpstreamException cause) {
            Cut cut = open.cut();
            if (cut != null) {
                return notSentAndUnused(cut.refusal());
            }
            if (cause.kind() == UpstreamException.Kind.BAD_REQUEST) {
                return notSentAndUnused(
                        Refusals.upstreamUnavailable("cannot be sent a request of this form"));
            }
            pass.permission().failed(cause, 0);
            return notSent(Refusals.upstreamUnavailable("could not be reached"));
        }

        private End notSentAndUnused(Refusal refusal) {
            pass.permission().unused();
            return notSent(refusal);
        }

        private End notSent(Refusal refusal) {
            return new End.NotSent(refusal);
        }

        private Refusal cutRefusal() {
            Cut cut = open.cut();
            return cut == null ? Refusals.overloaded("the call was cut") : cut.refusal();
        }

        private void settle(Outcome.Kind kind) {
            Verdict.Admitted admitted = pass.admitted();
            if (admitted == null) {
                return;
            }
            spent(kind == Outcome.Kind.COMPLETED);
            long durationMicros = (ticker.getAsLong() - call.arrivedNanos()) / 1_000;
            journal.outcome(
                    new Outcome(
                            call.id(),
                            admitted.admittedMicros(),
                            kind,
                            status,
                            answerBytes,
                            durationMicros));
        }
    }

    /** Leaves the answer where it is, because the call was cut. */
    private static final class CutShort extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CutShort() {
            super("cut", null, false, false);
        }
    }
}
