package io.penstock.cluster.model;

import io.penstock.cluster.model.Explorer.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The send section (protocol page, section 3), instruction by instruction: senders who enter the
 * open state's section, and one thread that publishes the stopped state, waits until the older one
 * is quiet, and acknowledges.
 *
 * <p>A counter is several cells, as a {@code LongAdder} is: each change goes to any of them, and a
 * sum reads one after the other.
 */
final class SectionModel {
    /** What a broken variant does otherwise. */
    enum Broken {
        /** The current reference is not read again after counting. */
        NO_SECOND_READ,
        /** The reference is read again, then the count is made. */
        SECOND_READ_BEFORE_THE_COUNT,
        /** The waiter reads {@code entered} before {@code left}. */
        ENTERED_READ_FIRST,
        /** One counter goes up and down. */
        ONE_COUNTER,
        /** The waiter looks at the count before it publishes. */
        PUBLISHED_AFTER_THE_LOOK
    }

    /** What a sender does next. */
    enum Next {
        READ_REFERENCE,
        COUNT,
        READ_AGAIN,
        WRITE,
        LEAVE,
        NOTHING
    }

    record Sender(Next next, int calls) {}

    /**
     * The one who stops.
     *
     * @param looked which cell of which counter is read next
     */
    record Stopper(boolean published, int looked, int first, int second, boolean acknowledged) {}

    record State(
            List<Sender> senders,
            Stopper stopper,
            List<Integer> entered,
            List<Integer> left,
            boolean sentLate) {}

    private static final int CELLS = 2;

    private final int senders;
    private final int calls;
    private final Set<Broken> broken = EnumSet.noneOf(Broken.class);

    /**
     * @param calls calls of each sender
     */
    SectionModel(int senders, int calls, Broken... broken) {
        this.senders = senders;
        this.calls = calls;
        this.broken.addAll(Arrays.asList(broken));
    }

    State start() {
        List<Sender> all = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            all.add(new Sender(Next.READ_REFERENCE, calls));
        }
        return new State(
                List.copyOf(all),
                new Stopper(false, 0, 0, 0, false),
                List.of(0, 0),
                List.of(0, 0),
                false);
    }

    @Nullable String wrong(State s) {
        return s.sentLate() ? "a send under the older state came after the acknowledgement" : null;
    }

    List<Step<State>> steps(State s) {
        List<Step<State>> steps = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            // Equal senders are interchangeable: only the first of several equal ones moves.
            if (s.senders().indexOf(s.senders().get(i)) == i) {
                sender(steps, s, i);
            }
        }
        stopper(steps, s);
        return steps;
    }

    private void sender(List<Step<State>> steps, State s, int i) {
        Sender me = s.senders().get(i);
        boolean open = !s.stopper().published();
        switch (me.next()) {
            case READ_REFERENCE -> {
                // Whoever sees the stopped state is refused.
                Next next = open ? afterReference() : Next.NOTHING;
                steps.add(new Step<>(i + " reads the reference", with(s, i, me, next)));
            }
            case COUNT -> {
                Next next = afterCount();
                for (int cell = 0; cell < CELLS; cell++) {
                    State counted =
                            new State(
                                    s.senders(),
                                    s.stopper(),
                                    plus(s.entered(), cell, 1),
                                    s.left(),
                                    s.sentLate());
                    steps.add(new Step<>(i + " counts in " + cell, with(counted, i, me, next)));
                }
            }
            case READ_AGAIN -> {
                Next next = open ? afterSecondRead() : Next.LEAVE;
                if (!open && broken.contains(Broken.SECOND_READ_BEFORE_THE_COUNT)) {
                    next = Next.NOTHING;
                }
                steps.add(new Step<>(i + " reads it again", with(s, i, me, next)));
            }
            case WRITE -> {
                State sent =
                        new State(
                                s.senders(),
                                s.stopper(),
                                s.entered(),
                                s.left(),
                                s.stopper().acknowledged());
                steps.add(new Step<>(i + " SENDS", with(sent, i, me, Next.LEAVE)));
            }
            case LEAVE -> {
                for (int cell = 0; cell < CELLS; cell++) {
                    steps.add(new Step<>(i + " leaves in " + cell, gone(s, i, me, cell)));
                }
            }
            case NOTHING -> {}
        }
    }

    private Next afterReference() {
        return broken.contains(Broken.SECOND_READ_BEFORE_THE_COUNT) ? Next.READ_AGAIN : Next.COUNT;
    }

    private Next afterCount() {
        boolean again =
                !broken.contains(Broken.NO_SECOND_READ)
                        && !broken.contains(Broken.SECOND_READ_BEFORE_THE_COUNT);
        return again ? Next.READ_AGAIN : Next.WRITE;
    }

    private Next afterSecondRead() {
        return broken.contains(Broken.SECOND_READ_BEFORE_THE_COUNT) ? Next.COUNT : Next.WRITE;
    }

    private State gone(State s, int i, Sender me, int cell) {
        boolean one = broken.contains(Broken.ONE_COUNTER);
        State counted =
                new State(
                        s.senders(),
                        s.stopper(),
                        one ? plus(s.entered(), cell, -1) : s.entered(),
                        one ? s.left() : plus(s.left(), cell, 1),
                        s.sentLate());
        boolean more = me.calls() > 1;
        return with(
                counted,
                i,
                new Sender(me.next(), me.calls() - 1),
                more ? Next.READ_REFERENCE : Next.NOTHING);
    }

    private void stopper(List<Step<State>> steps, State s) {
        Stopper me = s.stopper();
        boolean looksFirst = broken.contains(Broken.PUBLISHED_AFTER_THE_LOOK);
        int cells = 2 * CELLS;
        if (me.acknowledged()) {
            return;
        }
        if (!me.published() && (!looksFirst || me.looked() == cells)) {
            Stopper next = new Stopper(true, me.looked(), me.first(), me.second(), false);
            steps.add(new Step<>("the stop is published", with(s, next)));
            return;
        }
        if (me.looked() < cells) {
            steps.add(look(s, me));
            return;
        }
        boolean quiet = me.first() == me.second();
        steps.add(
                quiet
                        ? new Step<>(
                                "it is acknowledged", with(s, new Stopper(true, 0, 0, 0, true)))
                        : new Step<>("it looks again", with(s, new Stopper(true, 0, 0, 0, false))));
    }

    private Step<State> look(State s, Stopper me) {
        int cell = me.looked() % CELLS;
        boolean firstCounter = me.looked() < CELLS;
        boolean one = broken.contains(Broken.ONE_COUNTER);
        boolean entered = firstCounter == broken.contains(Broken.ENTERED_READ_FIRST);
        // With one counter the other one stays 0, and is compared with it.
        int value = one || entered ? s.entered().get(cell) : s.left().get(cell);
        if (one && firstCounter) {
            value = 0;
        }
        Stopper next =
                new Stopper(
                        me.published(),
                        me.looked() + 1,
                        me.first() + (firstCounter ? value : 0),
                        me.second() + (firstCounter ? 0 : value),
                        false);
        return new Step<>("it reads a cell", with(s, next));
    }

    private static List<Integer> plus(List<Integer> cells, int cell, int by) {
        List<Integer> next = new ArrayList<>(cells);
        next.set(cell, next.get(cell) + by);
        return List.copyOf(next);
    }

    private static State with(State s, int i, Sender me, Next next) {
        List<Sender> all = new ArrayList<>(s.senders());
        all.set(i, new Sender(next, me.calls()));
        return new State(List.copyOf(all), s.stopper(), s.entered(), s.left(), s.sentLate());
    }

    private static State with(State s, Stopper stopper) {
        return new State(s.senders(), stopper, s.entered(), s.left(), s.sentLate());
    }
}
