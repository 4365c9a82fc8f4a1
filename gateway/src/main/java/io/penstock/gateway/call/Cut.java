package io.penstock.gateway.call;

import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.journal.Outcome;

/** Why a call under way was ended from outside its own thread. */
sealed interface Cut {

    /** What the client is told, where it can be told anything. */
    Refusal refusal();

    /** What the journal says. */
    Outcome.Kind outcome();

    /** A stop or block matches it, or the lease did not come back in time. */
    record Judged(Judgement judgement) implements Cut {
        @Override
        public Refusal refusal() {
            return Refusals.of(judgement);
        }

        @Override
        public Outcome.Kind outcome() {
            return Outcome.Kind.CUT;
        }
    }

    /** Nobody is left to answer. */
    record ClientGone() implements Cut {
        @Override
        public Refusal refusal() {
            return Refusals.overloaded("the client closed the connection");
        }

        @Override
        public Outcome.Kind outcome() {
            return Outcome.Kind.CLIENT_GONE;
        }
    }

    /** The upstream was too slow: {@code what} names the limit that it broke. */
    record Overdue(String what) implements Cut {
        @Override
        public Refusal refusal() {
            return Refusals.upstreamUnavailable("did not keep its " + what);
        }

        @Override
        public Outcome.Kind outcome() {
            return Outcome.Kind.UPSTREAM_FAILED;
        }
    }

    /** The answer is longer than what the call may use of a budget. */
    record OverHold(Refusal refusal) implements Cut {
        @Override
        public Outcome.Kind outcome() {
            return Outcome.Kind.CUT;
        }
    }

    /** The replica is shutting down or its incarnation is over. */
    record Closing(String why) implements Cut {
        @Override
        public Refusal refusal() {
            return Refusals.overloaded(why);
        }

        @Override
        public Outcome.Kind outcome() {
            return Outcome.Kind.CUT;
        }
    }
}
