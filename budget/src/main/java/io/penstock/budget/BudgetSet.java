package io.penstock.budget;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All budgets of one revision, and what each call must ask of them.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> One look-up for a subject seen recently. At most {@value #CLAIMS_MAX} claims are
 * remembered, so a flood of made-up names costs time, never memory.
 */
public final class BudgetSet {
    /** More budgets than that in a revision are refused: one call may have to ask all of them. */
    public static final int BUDGETS_MAX = 256;

    static final int CLAIMS_MAX = 16_384;

    private record Rule(Budget budget, @Nullable Glob server, @Nullable Glob tool) {
        boolean matches(Subject subject) {
            return (server == null || server.matches(subject.server()))
                    && (tool == null || tool.matches(subject.tool()));
        }
    }

    private final List<Budget> all;
    private final PriceList prices;
    private final List<Rule> rules = new ArrayList<>();
    private final boolean bySession;
    private final RecentMap<Subject, Known> enforced = new RecentMap<>(CLAIMS_MAX);
    private final RecentMap<Subject, Known> shadowed = new RecentMap<>(CLAIMS_MAX);
    private final Reserves reserves = new Reserves();
    private final boolean adaptive;

    /** A claim, and what the reserves were when it was made. */
    private record Known(Claim claim, int stamp) {}

    /**
     * @throws IllegalArgumentException if two budgets share a name or there are too many
     */
    public BudgetSet(List<Budget> budgets, PriceList prices) {
        all = List.copyOf(budgets);
        this.prices = prices;
        if (all.size() > BUDGETS_MAX) {
            throw new IllegalArgumentException(
                    "at most " + BUDGETS_MAX + " budgets in a revision, not " + all.size());
        }
        Set<String> names = new HashSet<>();
        for (Budget budget : all) {
            if (!names.add(budget.name())) {
                throw new IllegalArgumentException("two budgets are named " + budget.name());
            }
            if (budget.mode() != Mode.OFF) {
                rules.add(new Rule(budget, Glob.of(budget.server()), Glob.of(budget.tool())));
            }
        }
        adaptive = all.stream().anyMatch(b -> b.reserve() == Reserve.ADAPTIVE);
        bySession = all.stream().anyMatch(b -> b.per().contains(Dimension.SESSION));
    }

    /** Nothing has a price. */
    public BudgetSet(List<Budget> budgets) {
        this(budgets, PriceList.NONE);
    }

    /** What calls cost. */
    public PriceList prices() {
        return prices;
    }

    /** The budgets in the revision's order. */
    public List<Budget> all() {
        return all;
    }

    /**
     * What a call of this subject asks of its budgets. On a server in shadow every budget is
     * shadow; on one that is off none applies.
     */
    public Claim claim(Subject subject, Mode serverMode) {
        if (serverMode == Mode.OFF || rules.isEmpty()) {
            return Claim.NONE;
        }
        boolean shadow = serverMode == Mode.SHADOW;
        RecentMap<Subject, Known> recent = shadow ? shadowed : enforced;
        Subject key = bySession || subject.session() == null ? subject : withoutSession(subject);
        int stamp = adaptive ? reserves.stamp() : 0;
        Known known = recent.get(key);
        if (known == null || known.stamp() != stamp) {
            known = new Known(build(key, shadow), stamp);
            recent.put(key, known);
        }
        return known.claim();
    }

    /** What a metered charge has really cost: adaptive budgets hold accordingly from then on. */
    public void learn(Charge charge, long actual) {
        if (adaptive && charge.price() != null) {
            reserves.learn(charge.price(), actual);
        }
    }

    /**
     * Every budget of the revision and what it would make of a call, in order; for whoever explains
     * a decision.
     */
    public List<Applied> explain(Subject subject, Mode serverMode) {
        List<Applied> applied = new ArrayList<>();
        for (Budget budget : all) {
            applied.add(explain(budget, subject, serverMode));
        }
        return applied;
    }

    private Applied explain(Budget budget, Subject subject, Mode serverMode) {
        if (serverMode == Mode.OFF) {
            return new Applied(budget, null, "the server's mode is off");
        }
        if (budget.mode() == Mode.OFF) {
            return new Applied(budget, null, "the budget's mode is off");
        }
        Rule rule = new Rule(budget, Glob.of(budget.server()), Glob.of(budget.tool()));
        if (!rule.matches(subject)) {
            return new Applied(budget, null, "it matches other tools");
        }
        boolean counted = serverMode == Mode.SHADOW || budget.mode() != Mode.ENFORCE;
        Charge charge = charge(Counter.of(budget, subject, counted), subject);
        if (charge != null) {
            return new Applied(budget, charge, counted ? "counted, never refuses" : "limits");
        }
        return new Applied(
                budget,
                null,
                !counted && budget.unpriced() == Unpriced.REFUSE
                        ? "refuses the call: it has no price"
                        : "the call has no price");
    }

    /**
     * What one budget makes of a call.
     *
     * @param charge what it would be charged, or null where the budget does not apply
     * @param why in words
     */
    public record Applied(Budget budget, @Nullable Charge charge, String why) {}

    int remembered() {
        return Math.max(enforced.size(), shadowed.size());
    }

    private Claim build(Subject subject, boolean shadow) {
        List<Charge> charges = new ArrayList<>();
        for (Rule rule : rules) {
            if (!rule.matches(subject)) {
                continue;
            }
            boolean counted = shadow || rule.budget().mode() != Mode.ENFORCE;
            Charge charge = charge(Counter.of(rule.budget(), subject, counted), subject);
            if (charge != null) {
                charges.add(charge);
            } else if (!counted && rule.budget().unpriced() == Unpriced.REFUSE) {
                return new Claim(List.of(), rule.budget());
            }
        }
        return charges.isEmpty() ? Claim.NONE : new Claim(charges);
    }

    /** What a call of that subject is charged on that counter, or null where it has no price. */
    private @Nullable Charge charge(Counter counter, Subject subject) {
        Unit unit = counter.budget().unit();
        if (!unit.priced()) {
            return unit == Unit.CONCURRENCY
                    ? new Charge(counter, 1, Charge.Kind.SLOT, null)
                    : new Charge(counter, 1);
        }
        Price price = prices.of(unit, subject.server(), subject.tool());
        if (price == null) {
            return null;
        }
        return switch (price.amount()) {
            case Price.Known known -> new Charge(counter, known.units());
            case Price.Measured measured ->
                    new Charge(
                            counter,
                            counter.budget().reserve() == Reserve.ADAPTIVE
                                    ? reserves.of(price)
                                    : measured.max(),
                            Charge.Kind.METERED,
                            price);
        };
    }

    private static Subject withoutSession(Subject subject) {
        return new Subject(
                subject.tenant(), subject.agent(), subject.server(), subject.tool(), null);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BudgetSet that
                && all.equals(that.all)
                && prices.equals(that.prices);
    }

    @Override
    public int hashCode() {
        return 31 * all.hashCode() + prices.hashCode();
    }

    @Override
    public String toString() {
        return "BudgetSet" + all;
    }
}
