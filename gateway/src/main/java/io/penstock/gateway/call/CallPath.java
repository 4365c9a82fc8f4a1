package io.penstock.gateway.call;

import io.penstock.budget.Claim;
import io.penstock.budget.Mode;
import io.penstock.budget.Standing;
import io.penstock.cluster.admission.Admission;
import io.penstock.cluster.admission.AdmissionRequest;
import io.penstock.cluster.admission.Verdict;
import io.penstock.cluster.control.ControlView;
import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.journal.RefusalEntry;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.upstream.Upstream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The path of one call, top to bottom: control check, block, circuit breaker, admission, upstream,
 * settle, journal. Identity comes before it, because only a known agent's request is a {@link
 * Call}.
 *
 * <p><b>Guarantee.</b> Nothing is sent to an upstream but what has passed the control check in a
 * send section; a counted call only after its admission is durable. A refused call reaches no
 * upstream, is answered in its client's dialect, and is journaled.
 *
 * <p><b>Failure.</b> Fails closed: what cannot be judged or charged in time is refused.
 *
 * <p><b>Threads.</b> {@link #run} on the call's own virtual thread; blocks it for the whole call.
 */
public final class CallPath implements CallRunner {

    /** Stands in the journal in the place of a refusal code. */
    static final String WOULD_REFUSE = "would-refuse";

    /** A call is cut at its time limit; what it holds is lost so long after that. */
    private static final long HOLD_GRACE_MILLIS = 5_000;

    private final Map<String, Target> targets;
    private final ControlView view;
    private final Admission admission;
    private final CallJournal journal;
    private final Forwarder forwarder;
    private final DecisionHeaders headers;
    private final CallObserver observer;
    private final LongSupplier ticker;

    public CallPath(
            Map<String, Target> targets,
            ControlView view,
            Admission admission,
            CallJournal journal,
            Forwarder forwarder,
            DecisionHeaders headers,
            CallObserver observer,
            LongSupplier ticker) {
        this.targets = Map.copyOf(targets);
        this.view = view;
        this.admission = admission;
        this.journal = journal;
        this.forwarder = forwarder;
        this.headers = headers;
        this.observer = observer;
        this.ticker = ticker;
    }

    @Override
    public void run(Call call, Reply reply) {
        switch (decide(call)) {
            case Decision.Pass pass -> forward(call, pass, reply);
            case Decision.Refuse refuse -> refuse(call, refuse, reply);
        }
    }

    private Decision decide(Call call) {
        Target target = targets.get(call.subject().server());
        if (target == null) {
            return new Decision.Refuse(
                    Refusals.unknownTarget(call.subject().server()), List.of(), true);
        }
        Snapshot state = view.current();
        Mode mode = mode(state, target);
        Judgement judgement = judge(state, call, mode);
        if (judgement != Judgement.CLEAR) {
            return new Decision.Refuse(Refusals.of(judgement), List.of(), mode != Mode.OFF);
        }
        return switch (target.upstream().permit()) {
            case Upstream.Permission.Granted granted -> admit(call, target, granted, state, mode);
            case Upstream.Permission.Refused refused ->
                    new Decision.Refuse(
                            notPermitted(refused.reason()), List.of(), mode != Mode.OFF);
        };
    }

    private Decision admit(
            Call call,
            Target target,
            Upstream.Permission.Granted permission,
            Snapshot state,
            Mode mode) {
        if (!call.counted() || mode == Mode.OFF) {
            return new Decision.Pass(target, permission, null);
        }
        Claim claim = state.rules().budgets().claim(call.subject(), mode);
        long before = ticker.getAsLong();
        Verdict verdict =
                admission.admit(
                        new AdmissionRequest(
                                call.id(),
                                call.subject(),
                                claim,
                                call.label(),
                                state,
                                target.config().maxDuration().toMillis() + HOLD_GRACE_MILLIS,
                                call.arrivedNanos()));
        observer.admissionTook(ticker.getAsLong() - before);
        if (verdict instanceof Verdict.Admitted admitted) {
            List<String> warnings = recordShadow(call, admitted.standings(), mode);
            return new Decision.Pass(target, permission, admitted, warnings);
        }
        permission.unused();
        return refused(call, verdict);
    }

    /**
     * What budgets that do not limit would have refused is journaled beside the call, which goes
     * on.
     *
     * @return names of those that warn
     */
    private List<String> recordShadow(Call call, List<Standing> standings, Mode mode) {
        List<String> warnings = List.of();
        for (int i = 0; i < standings.size(); i++) {
            Standing standing = standings.get(i);
            if (standing.wouldRefuse()) {
                String budget = standing.counter().budget().name();
                journal.refusal(new RefusalEntry(call.id(), call.subject(), WOULD_REFUSE, budget));
                observer.wouldRefuse(budget);
                if (mode == Mode.ENFORCE && standing.counter().budget().mode() == Mode.WARN) {
                    observer.warned(budget);
                    warnings = new ArrayList<>(warnings);
                    warnings.add(budget);
                }
            }
        }
        return warnings;
    }

    private static Decision refused(Call call, Verdict verdict) {
        return switch (verdict) {
            case Verdict.Exhausted exhausted ->
                    new Decision.Refuse(
                            Refusals.exhausted(exhausted, call.subject()),
                            exhausted.standings(),
                            true);
            case Verdict.Unpriced unpriced ->
                    new Decision.Refuse(
                            Refusals.unpriced(unpriced.budget(), call.subject()), List.of(), true);
            case Verdict.Refused refused ->
                    new Decision.Refuse(Refusals.of(refused.judgement()), List.of(), true);
            case Verdict.Unavailable _ ->
                    new Decision.Refuse(Refusals.ledgerUnavailable(), List.of(), true);
            case Verdict.Overloaded _ ->
                    new Decision.Refuse(
                            Refusals.overloaded("too many calls wait for admission"),
                            List.of(),
                            true);
            case Verdict.Admitted _ ->
                    throw new IllegalStateException("an admitted call is not refused");
        };
    }

    private void forward(Call call, Decision.Pass pass, Reply reply) {
        switch (forwarder.forward(call, pass, reply)) {
            case Forwarder.End.Answered _ ->
                    observer.decided("admitted", call.subject().server(), elapsed(call));
            case Forwarder.End.NotSent notSent -> {
                if (pass.admitted() != null) {
                    admission.giveBack(pass.admitted());
                }
                refuse(
                        call,
                        new Decision.Refuse(
                                notSent.refusal(), pass.standings(), pass.admitted() == null),
                        reply);
            }
        }
    }

    private void refuse(Call call, Decision.Refuse refuse, Reply reply) {
        Refusal refusal = refuse.refusal();
        if (refuse.journaled()) {
            journal.refusal(
                    new RefusalEntry(
                            call.id(), call.subject(), refusal.code().label(), refusal.budget()));
        }
        HeaderBlock block = new HeaderBlock();
        headers.add(block, refusal.code().label(), call.id());
        DecisionHeaders.addStandings(block, refuse.standings());
        try {
            call.dialect().refuse(reply, refusal, block);
        } finally {
            observer.decided(
                    refusal.code().label(),
                    targets.containsKey(call.subject().server()) ? call.subject().server() : "none",
                    elapsed(call));
        }
    }

    private Judgement judge(Snapshot state, Call call, Mode mode) {
        Judgement judgement = state.judge(call.subject(), ticker.getAsLong());
        return mode == Mode.OFF && judgement instanceof Judgement.Blocked
                ? Judgement.CLEAR
                : judgement;
    }

    /** A server that the revision does not name is governed in full. */
    static Mode mode(Snapshot state, Target target) {
        return state.rules().servers().getOrDefault(target.config().name(), Mode.ENFORCE);
    }

    private static Refusal notPermitted(String reason) {
        return switch (reason) {
            case "bulkhead-full" ->
                    Refusals.overloaded("as many calls as allowed are at this server already");
            default ->
                    Refusals.upstreamUnavailable("failed too often and is left alone for a while");
        };
    }

    private long elapsed(Call call) {
        return ticker.getAsLong() - call.arrivedNanos();
    }
}
