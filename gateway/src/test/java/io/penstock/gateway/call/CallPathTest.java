package io.penstock.gateway.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Counter;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.Standing;
import io.penstock.budget.Subject;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.admission.Admission;
import io.penstock.cluster.admission.AdmissionRequest;
import io.penstock.cluster.admission.Verdict;
import io.penstock.cluster.control.Block;
import io.penstock.cluster.control.ControlStates;
import io.penstock.cluster.control.ControlView;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.journal.Outcome;
import io.penstock.cluster.journal.RefusalEntry;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.upstream.UpstreamException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CallPathTest {
    private static final long TRUSTED = Duration.ofHours(1).toNanos();
    private static final Budget BUDGET =
            new Budget(
                    "rate",
                    Unit.CALLS,
                    10,
                    new Window.Fixed(1_000_000),
                    Set.of(Dimension.AGENT),
                    null,
                    null,
                    Mode.ENFORCE);
    private static final Subject SUBJECT = new Subject("acme", "a", "files", "read", null);

    private final AtomicLong clock = new AtomicLong(1);
    private final ControlView view = new ControlView(clear(1));
    private final FakeUpstream upstream = new FakeUpstream();
    private final List<Outcome.Kind> outcomes = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private final List<Verdict.Admitted> givenBack = new ArrayList<>();
    private final List<AdmissionRequest> asked = new ArrayList<>();
    private final FakeReply reply = new FakeReply();
    private final OpenCallRegistry registry = new OpenCallRegistry(clock::get);
    private final List<List<Long>> settled = new ArrayList<>();
    private Function<AdmissionRequest, Verdict> ledger = this::admitted;

    @Test
    void run_clearCall_isForwardedAndAnswered() {
        upstream.contentLength = 2;
        upstream.answer.add(bytes("ok"));

        path().run(call(true), reply);

        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.text()).isEqualTo("ok");
        assertThat(reply.header("Penstock-Decision")).isEqualTo("admitted");
        assertThat(reply.header("Penstock-Replica")).isEqualTo("r1");
        assertThat(reply.header("RateLimit")).isEqualTo("\"rate\";r=9;t=1");
        assertThat(reply.header("RateLimit-Policy")).isEqualTo("\"rate\";q=10;w=1");
        assertThat(upstream.received).hasSize(1);
        assertThat(upstream.received.getFirst().first("Penstock-Epoch")).isEqualTo("1");
        assertThat(upstream.received.getFirst().first("Penstock-Call")).isNotNull();
        assertThat(upstream.received.getFirst().first("traceparent")).startsWith("00-");
        assertThat(outcomes).containsExactly(Outcome.Kind.COMPLETED);
        assertThat(upstream.settled).containsExactly("answered 200");
        assertThat(registry.open()).isZero();
    }

    @Test
    void run_uncountedMessage_isForwardedWithoutAdmission() {
        path().run(call(false), reply);

        assertThat(asked).isEmpty();
        assertThat(upstream.received).hasSize(1);
        assertThat(outcomes).isEmpty();
    }

    @Test
    void run_stopMatches_isRefusedBeforeAnythingElse() {
        ControlStates.publish(view, stopped(2, new Scope.Agent("acme", "a"), false));

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("stopped");
        assertThat(asked).isEmpty();
        assertThat(upstream.opened).isZero();
        assertThat(refusals).containsExactly("stopped");
    }

    @Test
    void run_stopOfAnother_isForwarded() {
        ControlStates.publish(view, stopped(2, new Scope.Agent("acme", "b"), false));

        path().run(call(true), reply);

        assertThat(upstream.received).hasSize(1);
    }

    @Test
    void run_leaseOver_isRefused() {
        clock.set(TRUSTED);

        path().run(call(false), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("control-stale");
        assertThat(upstream.opened).isZero();
    }

    @Test
    void run_blockedAgent_isRefusedOnGovernedServersOnly() {
        ControlStates.publish(view, blocked(2, Mode.ENFORCE));
        path().run(call(true), reply);
        assertThat(reply.header("Penstock-Decision")).isEqualTo("blocked");

        ControlStates.publish(view, blocked(3, Mode.OFF));
        FakeReply second = new FakeReply();
        path().run(call(true), second);
        assertThat(second.header("Penstock-Decision")).isEqualTo("admitted");
        assertThat(asked).isEmpty();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void run_budgetExhausted_saysWhichAndWhen() {
        ledger =
                request -> {
                    Standing none =
                            new Standing(
                                    request.claim().charges().getFirst().counter(), 0, 340_000, 1);
                    return new Verdict.Exhausted(none, List.of(none));
                };

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("budget-exhausted");
        assertThat(reply.text()).contains("budget rate", "340 ms");
        assertThat(upstream.opened).isZero();
        assertThat(upstream.settled).containsExactly("unused");
        assertThat(refusals).containsExactly("budget-exhausted");
    }

    @Test
    void run_shadowBudgetUsedUp_goesOnAndIsRecorded() {
        ledger =
                request -> {
                    Counter counter = request.claim().charges().getFirst().counter();
                    Counter shadow = new Counter("shadow/" + counter.key(), counter.budget(), true);
                    Standing used = new Standing(shadow, 0, 340_000, 1);
                    return new Verdict.Admitted(1, 1, List.of(used), new Verdict.Ticket() {});
                };

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("admitted");
        assertThat(reply.header("RateLimit")).isNull();
        assertThat(upstream.received).hasSize(1);
        assertThat(refusals).containsExactly("would-refuse");
    }

    @Test
    void run_circuitOpen_asksNoBudget() {
        upstream.refuses = "circuit-open";

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("upstream-unavailable");
        assertThat(asked).isEmpty();
    }

    @Test
    void run_stopDuringAdmission_givesBackAndSendsNothing() {
        ledger =
                request -> {
                    Verdict verdict = admitted(request);
                    ControlStates.publish(view, stopped(2, new Scope.All(), false));
                    return verdict;
                };

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("stopped");
        assertThat(upstream.received).isEmpty();
        assertThat(givenBack).hasSize(1);
        assertThat(outcomes).isEmpty();
    }

    @Test
    void run_clearEpochDuringAdmission_sendsUnderTheNewEpoch() {
        ledger =
                request -> {
                    Verdict verdict = admitted(request);
                    ControlStates.publish(view, clear(7));
                    return verdict;
                };

        path().run(call(true), reply);

        assertThat(upstream.received.getFirst().first("Penstock-Epoch")).isEqualTo("7");
    }

    @Test
    void run_upstreamUnreachable_givesBack() {
        upstream.unreachable = true;

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("upstream-unavailable");
        assertThat(givenBack).hasSize(1);
        assertThat(upstream.settled).containsExactly("failed");
    }

    @Test
    void run_firstWriteFailsWithNothingSent_isSentOnceMore() {
        upstream.firstWritesThatFailUnsent = 1;

        path().run(call(true), reply);

        assertThat(upstream.opened).isEqualTo(2);
        assertThat(upstream.received).hasSize(1);
        assertThat(reply.header("Penstock-Decision")).isEqualTo("admitted");
    }

    @Test
    void run_firstWriteFailsAfterBytesLeft_isNeverSentAgain() {
        upstream.firstWritesThatFailSent = 1;

        path().run(call(true), reply);

        assertThat(upstream.opened).isEqualTo(1);
        assertThat(reply.header("Penstock-Decision")).isEqualTo("upstream-unavailable");
        assertThat(givenBack).isEmpty();
        assertThat(outcomes).containsExactly(Outcome.Kind.UPSTREAM_FAILED);
    }

    @Test
    void run_stopInMidStream_endsWithTheErrorAsLastEvent() {
        upstream.answer.add(bytes("data: 1\n\n"));
        upstream.answer.add(
                (Runnable)
                        () -> {
                            Snapshot next = stopped(2, new Scope.All(), false);
                            ControlStates.publish(view, next);
                            assertThat(registry.apply(next)).isEqualTo(1);
                        });
        upstream.answer.add(bytes("data: 2\n\n"));

        path().run(call(true), reply);

        assertThat(reply.text()).isEqualTo("data: 1\n\nlast:stopped");
        assertThat(reply.ended).isTrue();
        assertThat(outcomes).containsExactly(Outcome.Kind.CUT);
        assertThat(upstream.settled).containsExactly("unused");
    }

    @Test
    void run_drainingStopInMidStream_letsItFinish() {
        upstream.answer.add(
                (Runnable)
                        () -> {
                            Snapshot next = stopped(2, new Scope.All(), true);
                            ControlStates.publish(view, next);
                            assertThat(registry.apply(next)).isZero();
                            assertThat(registry.openUnder(next)).isEqualTo(1);
                        });
        upstream.answer.add(bytes("data: 2\n\n"));

        path().run(call(true), reply);

        assertThat(reply.text()).isEqualTo("data: 2\n\n");
        assertThat(outcomes).containsExactly(Outcome.Kind.COMPLETED);
    }

    @Test
    void run_lapsedLeaseInMidStream_passesNothingOnAndIsCutAfterTheGrace() {
        upstream.answer.add(bytes("data: 1\n\n"));
        upstream.answer.add((Runnable) () -> clock.set(TRUSTED));
        upstream.answer.add(bytes("data: 2\n\n"));
        Thread time =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (registry.open() > 0 || outcomes.isEmpty()) {
                                        if (clock.get() >= TRUSTED) {
                                            clock.addAndGet(1_000_000_000);
                                        }
                                        Thread.onSpinWait();
                                        Thread.yield();
                                    }
                                });

        path().run(call(true), reply);
        time.interrupt();

        assertThat(reply.text()).isEqualTo("data: 1\n\nlast:control-stale");
        assertThat(outcomes).containsExactly(Outcome.Kind.CUT);
    }

    /** An upstream that does not read: whoever fences this replica counts on short sends. */
    @Test
    void run_leaseEndsWhileTheFirstBytesAreWritten_theSendIsCut() {
        upstream.duringFirst =
                () -> {
                    clock.set(TRUSTED);
                    registry.sweep(view.current());
                };

        path().run(call(true), reply);

        assertThat(upstream.received).isEmpty();
        assertThat(reply.header("Penstock-Decision")).isEqualTo("control-stale");
    }

    @Test
    void sweep_leaseLasts_cutsNoSend() {
        upstream.duringFirst = () -> registry.sweep(view.current());

        path().run(call(true), reply);

        assertThat(upstream.received).hasSize(1);
        assertThat(outcomes).containsExactly(Outcome.Kind.COMPLETED);
    }

    @Test
    void run_stopAfterTheFirstPieceOfALargeRequest_sendsNoOther() {
        upstream.restPieces = 3;
        upstream.afterRestPiece =
                () -> {
                    Snapshot next = stopped(2, new Scope.All(), false);
                    ControlStates.publish(view, next);
                    registry.apply(next);
                };

        path().run(call(true), reply);

        assertThat(upstream.restSent).isEqualTo(1);
    }

    @Test
    void run_lapsedLeaseInALargeRequest_waitsForItToComeBack() {
        upstream.restPieces = 2;
        List<Integer> sentWhileLapsed = new ArrayList<>();
        upstream.afterRestPiece =
                () -> {
                    clock.set(TRUSTED);
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        sentWhileLapsed.add(upstream.restSent);
                                        ControlStates.trust(view.current(), 2 * TRUSTED);
                                    });
                };

        path().run(call(true), reply);

        assertThat(upstream.restSent).isEqualTo(2);
        assertThat(sentWhileLapsed.getFirst()).isEqualTo(1);
        assertThat(outcomes).containsExactly(Outcome.Kind.COMPLETED);
    }

    @Test
    void run_leaseComesBackInMidStream_goesOn() {
        upstream.answer.add(
                (Runnable)
                        () -> {
                            clock.set(TRUSTED);
                            Thread.ofVirtual()
                                    .start(() -> ControlStates.trust(view.current(), 2 * TRUSTED));
                        });
        upstream.answer.add(bytes("data: 2\n\n"));

        path().run(call(true), reply);

        assertThat(reply.text()).isEqualTo("data: 2\n\n");
        assertThat(outcomes).containsExactly(Outcome.Kind.COMPLETED);
    }

    @Test
    void run_clientGone_cutsTheUpstream() {
        upstream.answer.add(bytes("data: 1\n\n"));
        upstream.answer.add(
                (Runnable)
                        () -> {
                            reply.gone = true;
                            if (reply.whenGone != null) {
                                reply.whenGone.run();
                            }
                        });
        upstream.answer.add(bytes("data: 2\n\n"));

        path().run(call(true), reply);

        assertThat(outcomes).containsExactly(Outcome.Kind.CLIENT_GONE);
        assertThat(reply.text()).isEqualTo("data: 1\n\n");
        assertThat(upstream.settled).containsExactly("unused");
    }

    @Test
    void run_upstreamBreaksOffBeforeItsHead_isRefusedAndStaysCharged() {
        upstream.answer.add(
                new UpstreamException(UpstreamException.Kind.BROKE_OFF, "closed early"));

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("upstream-unavailable");
        assertThat(givenBack).isEmpty();
        assertThat(outcomes).containsExactly(Outcome.Kind.UPSTREAM_FAILED);
        assertThat(upstream.settled).containsExactly("failed");
    }

    @Test
    void sweep_idleUpstream_isCutAsOverdue() {
        upstream.answer.add(bytes("data: 1\n\n"));
        upstream.answer.add(
                (Runnable)
                        () -> {
                            clock.addAndGet(Duration.ofSeconds(6).toNanos());
                            registry.sweep(view.current());
                        });
        upstream.answer.add(bytes("data: 2\n\n"));

        path().run(call(true), reply);

        assertThat(reply.text()).isEqualTo("data: 1\n\nlast:upstream-unavailable");
        assertThat(outcomes).containsExactly(Outcome.Kind.UPSTREAM_FAILED);
    }

    @Test
    void run_serverUnknown_isRefused() {
        new CallPath(
                        Map.of(),
                        view,
                        admission(),
                        journal(),
                        forwarder(),
                        new DecisionHeaders("r1"),
                        CallObserver.NONE,
                        clock::get)
                .run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("unknown-target");
    }

    /** A verdict of a call that holds up to 50 bytes, 30 tokens and a slot. */
    private Verdict holding(AdmissionRequest request) {
        List<Charge> holds =
                List.of(
                        held(Unit.BYTES, 50, new Price.BodyBytes()),
                        held(Unit.TOKENS, 30, new Price.ResultPointer("/n")),
                        new Charge(
                                counter(Unit.CONCURRENCY, new Window.Open()),
                                1,
                                Charge.Kind.SLOT,
                                null));
        return new Verdict.Admitted(1, 1, List.of(), holds, new Verdict.Ticket() {});
    }

    private static Charge held(Unit unit, long max, Price.Source source) {
        Price price = new Price(null, null, unit, new Price.Measured(max, source, 1));
        return new Charge(counter(unit, new Window.Lifetime()), max, Charge.Kind.METERED, price);
    }

    private static Counter counter(Unit unit, Window window) {
        return new Counter(
                "k" + unit,
                new Budget("b", unit, 100, window, Set.of(), null, null, Mode.ENFORCE),
                false);
    }

    /** Every way out of a call settles what it holds, exactly once. */
    @ParameterizedTest
    @EnumSource(WayOut.class)
    void run_everyWayOut_settlesOnce(WayOut way) {
        ledger = this::holding;
        upstream.contentType = "application/json";
        way.prepare.accept(this);

        Throwable thrown = catchThrowable(() -> path().run(call(true), reply));

        assertThat(thrown != null).as("%s", thrown).isEqualTo(way == WayOut.BUG);
        assertThat(settled).isEqualTo(way.settled);
        assertThat(givenBack).hasSize(way.settled.isEmpty() ? 1 : 0);
    }

    private enum WayOut {
        ANSWERED(t -> t.answers("{\"result\":{\"n\":7}}"), List.of(20L, 7L)),
        ANSWERED_WHOLE(
                t -> {
                    t.answers("{\"result\":{\"n\":7}}");
                    t.upstream.contentLength = 18;
                },
                List.of(20L, 7L)),
        OVERRUN(t -> t.answers("{\"result\":{\"n\":70}}"), List.of(21L, 70L)),
        NO_NUMBER(t -> t.answers("{\"result\":{}}"), List.of(15L)),
        BROKE_OFF(
                t -> {
                    t.answers("{\"result\":{\"n\":7}}");
                    t.upstream.answer.add(
                            new UpstreamException(UpstreamException.Kind.BROKE_OFF, "gone"));
                },
                List.of(20L)),
        TOO_LONG(t -> t.answers("x".repeat(60)), List.of(2L)),
        TOO_LONG_WHOLE(
                t -> {
                    t.answers("x".repeat(60));
                    t.upstream.contentLength = 60;
                },
                List.of(2L)),
        SENT_AND_LOST(t -> t.upstream.firstWritesThatFailSent = 1, List.of(2L)),
        BUG(
                t ->
                        t.upstream.answer.add(
                                (Runnable)
                                        () -> {
                                            throw new IllegalStateException("a bug");
                                        }),
                List.of(2L)),
        NEVER_SENT(t -> t.upstream.unreachable = true, null);

        private final Consumer<CallPathTest> prepare;
        private final List<List<Long>> settled;

        WayOut(Consumer<CallPathTest> prepare, @Nullable List<Long> settled) {
            this.prepare = prepare;
            this.settled = settled == null ? List.of() : List.of(settled);
        }
    }

    private void answers(String text) {
        upstream.answer.add(bytes(text));
    }

    @Test
    void run_answerLongerThanItsHold_isRefusedInBand() {
        ledger = this::holding;
        answers("x".repeat(60));
        upstream.contentLength = 60;

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo("budget-exhausted");
        assertThat(reply.text()).contains("longer than the 50 bytes");
        assertThat(outcomes).containsExactly(Outcome.Kind.CUT);
    }

    @ParameterizedTest
    @CsvSource({
        "CALLS, 0, 0, 500000, budget-exhausted, used up",
        "CALLS, 3, 0, 500000, budget-held, nothing left right now",
        "CONCURRENCY, 10, 0, -1, concurrency-exhausted, at once",
        "TOKENS, 0, 0, -1, budget-exhausted, used up",
    })
    void run_budgetRefuses_saysWhy(
            Unit unit, long held, long left, long back, String code, String words) {
        Window window =
                unit == Unit.CONCURRENCY
                        ? new Window.Open()
                        : back < 0 ? new Window.Lifetime() : new Window.Fixed(1_000_000);
        Standing standing = new Standing(counter(unit, window), left, back, 1, held);
        ledger = _ -> new Verdict.Exhausted(standing, List.of(standing));

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Decision")).isEqualTo(code);
        assertThat(reply.text()).contains("budget b: ").contains(words);
    }

    @Test
    void run_budgetThatWarns_marksTheAnswer() {
        Counter warn =
                new Counter(
                        "shadow/k",
                        new Budget(
                                "soft",
                                Unit.CALLS,
                                1,
                                new Window.Lifetime(),
                                Set.of(),
                                null,
                                null,
                                Mode.WARN),
                        true);
        ledger =
                _ ->
                        new Verdict.Admitted(
                                1,
                                1,
                                List.of(new Standing(warn, 0, -1, 1)),
                                new Verdict.Ticket() {});
        answers("x");

        path().run(call(true), reply);

        assertThat(reply.header("Penstock-Warning")).isEqualTo("budget soft");
        assertThat(refusals).containsExactly("would-refuse");
    }

    private CallPath path() {
        return new CallPath(
                Map.of("files", new Target(server(), upstream)),
                view,
                admission(),
                journal(),
                forwarder(),
                new DecisionHeaders("r1"),
                CallObserver.NONE,
                clock::get);
    }

    private Forwarder forwarder() {
        return new Forwarder(
                view,
                registry,
                admission(),
                journal(),
                new DecisionHeaders("r1"),
                CallObserver.NONE,
                Duration.ofSeconds(5),
                clock::get);
    }

    private Verdict admitted(AdmissionRequest request) {
        List<Standing> standings =
                request.claim().charges().stream()
                        .map(charge -> new Standing(charge.counter(), 9, 500_000, 0))
                        .toList();
        return new Verdict.Admitted(1, 1, standings, new Verdict.Ticket() {});
    }

    private Admission admission() {
        return new Admission() {
            @Override
            public Verdict admit(AdmissionRequest request) {
                asked.add(request);
                return ledger.apply(request);
            }

            @Override
            public void giveBack(Verdict.Admitted admitted) {
                givenBack.add(admitted);
            }

            @Override
            public void settle(Verdict.Admitted admitted, List<Spent> spent) {
                settled.add(spent.stream().map(Spent::amount).toList());
            }
        };
    }

    private CallJournal journal() {
        return new CallJournal() {
            @Override
            public void outcome(Outcome outcome) {
                outcomes.add(outcome.kind());
            }

            @Override
            public void refusal(RefusalEntry refusal) {
                refusals.add(refusal.code());
            }
        };
    }

    private Call call(boolean counted) {
        return new Call(
                UUID.randomUUID(),
                SUBJECT,
                counted,
                "tools/call",
                "POST",
                "/mcp",
                new HeaderBlock(),
                bytes("{}"),
                false,
                clock.get(),
                new PlainDialect());
    }

    private static ServerConfig server() {
        return new ServerConfig(
                "files",
                URI.create("http://127.0.0.1:1/mcp"),
                true,
                Mode.ENFORCE,
                Duration.ofSeconds(2),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofHours(2),
                100,
                Map.of(),
                null,
                List.of(),
                false);
    }

    private static Snapshot clear(long epoch) {
        return ControlStates.clear(epoch, List.of(BUDGET), Map.of("files", Mode.ENFORCE), TRUSTED);
    }

    private static Snapshot stopped(long epoch, Scope scope, boolean drain) {
        return ControlStates.with(
                epoch,
                List.of(BUDGET),
                Map.of("files", Mode.ENFORCE),
                List.of(ControlStates.stop(scope, epoch, drain)),
                List.of(),
                TRUSTED);
    }

    private static Snapshot blocked(long epoch, Mode mode) {
        return ControlStates.with(
                epoch,
                List.of(BUDGET),
                Map.of("files", mode),
                List.of(),
                List.of(new Block("acme", "a", "rogue", TRUSTED)),
                TRUSTED);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Says a refusal in plain words. */
    private static final class PlainDialect implements Dialect {
        @Override
        public void refuse(Reply reply, Refusal refusal, HeaderBlock headers) {
            byte[] body = bytes(refusal.message());
            reply.send(refusal.code().status(), headers, body, 0, body.length);
        }

        @Override
        public byte[] lastEvent(Refusal refusal) {
            return bytes("last:" + refusal.code().label());
        }

        @Override
        public String resultRoot() {
            return "/result";
        }

        @Override
        public void answered(int status, HeaderBlock headers) {}
    }
}
