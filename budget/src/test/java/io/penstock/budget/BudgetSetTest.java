package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class BudgetSetTest {
    private static final Window SECOND = new Window.Fixed(1_000_000);
    private static final Subject BOB =
            new Subject("acme", "bob", "files", "read_file", "session-1");

    private static Budget budget(
            String name, @Nullable String server, @Nullable String tool, Dimension... per) {
        return new Budget(name, Unit.CALLS, 10, SECOND, Set.of(per), server, tool, Mode.ENFORCE);
    }

    private static Budget watched(String name) {
        return new Budget(name, Unit.CALLS, 10, SECOND, Set.of(), null, null, Mode.SHADOW);
    }

    private static List<String> keys(Claim claim) {
        return claim.charges().stream().map(c -> c.counter().key()).toList();
    }

    @Test
    void claim_severalBudgetsMatch_asksOneOfEachInOrder() {
        BudgetSet set =
                new BudgetSet(
                        List.of(
                                budget("all", null, null),
                                budget("other", "mail", null),
                                budget("reads", "fi*", "read_*", Dimension.TENANT)));

        Claim claim = set.claim(BOB, Mode.ENFORCE);

        assertThat(keys(claim)).containsExactly("3:allCf1000000", "5:readsCf1000000t4:acme");
        assertThat(claim.charges()).allMatch(c -> c.amount() == 1 && !c.counter().shadow());
    }

    @Test
    void claim_everyDimension_isInTheKey() {
        BudgetSet set =
                new BudgetSet(
                        List.of(
                                budget(
                                        "b",
                                        null,
                                        null,
                                        EnumSet.allOf(Dimension.class).toArray(Dimension[]::new))));

        assertThat(keys(set.claim(BOB, Mode.ENFORCE)))
                .containsExactly(
                        "1:bCf1000000t4:acmea4:acme3:bobs5:fileso5:files9:read_file"
                                + "n4:acme3:bob9:session-1");
    }

    @Test
    void claim_shadowServer_makesEveryBudgetShadow() {
        BudgetSet set = new BudgetSet(List.of(budget("all", null, null)));

        Claim claim = set.claim(BOB, Mode.SHADOW);

        assertThat(keys(claim)).containsExactly("shadow/3:allCf1000000");
        assertThat(claim.charges().getFirst().counter().shadow()).isTrue();
    }

    @Test
    void claim_shadowBudget_isCountedApart() {
        BudgetSet set = new BudgetSet(List.of(watched("w")));

        assertThat(keys(set.claim(BOB, Mode.ENFORCE))).containsExactly("shadow/1:wCf1000000");
    }

    @Test
    void claim_serverOff_asksNothing() {
        BudgetSet set = new BudgetSet(List.of(budget("all", null, null)));

        assertThat(set.claim(BOB, Mode.OFF)).isSameAs(Claim.NONE);
    }

    @Test
    void claim_sameSubjectAgain_isTheSameObject() {
        BudgetSet set = new BudgetSet(List.of(budget("all", null, null, Dimension.AGENT)));
        Subject otherSession = new Subject("acme", "bob", "files", "read_file", "session-2");

        Claim claim = set.claim(BOB, Mode.ENFORCE);

        assertThat(set.claim(otherSession, Mode.ENFORCE)).isSameAs(claim);
    }

    @Test
    void claim_sessionBudget_countsSessionsApartAndNoneAsItsAgent() {
        BudgetSet set = new BudgetSet(List.of(budget("s", null, null, Dimension.SESSION)));
        Subject none = new Subject("acme", "bob", "files", "read_file", null);
        Subject other = new Subject("acme", "eve", "files", "read_file", null);

        Set<String> keys = new HashSet<>();
        keys.addAll(keys(set.claim(BOB, Mode.ENFORCE)));
        keys.addAll(keys(set.claim(none, Mode.ENFORCE)));
        keys.addAll(keys(set.claim(other, Mode.ENFORCE)));

        assertThat(keys).hasSize(3).contains("1:sCf1000000n4:acme3:bob0:");
    }

    @Test
    void claim_namesThatLookLikeKeys_neverMeet() {
        Budget perAgent = budget("b", null, null, Dimension.AGENT);
        BudgetSet set = new BudgetSet(List.of(perAgent));
        List<Subject> tricky =
                List.of(
                        new Subject("a", "b3:c", "s", "t", null),
                        new Subject("a", "b", "s", "t", null),
                        new Subject("a1:b", "", "s", "t", null),
                        new Subject("", "a1:b", "s", "t", null),
                        new Subject("a", "1:b", "s", "t", null));

        Set<String> keys = new HashSet<>();
        tricky.forEach(subject -> keys.addAll(keys(set.claim(subject, Mode.ENFORCE))));

        assertThat(keys).hasSize(tricky.size());
    }

    @Test
    void claim_manySubjects_remembersABoundedNumber() {
        BudgetSet set = new BudgetSet(List.of(budget("b", null, null, Dimension.AGENT)));

        for (int i = 0; i < 3 * BudgetSet.CLAIMS_MAX; i++) {
            set.claim(new Subject("t", "agent-" + i, "s", "o", null), Mode.ENFORCE);
        }

        assertThat(set.remembered()).isLessThanOrEqualTo(BudgetSet.CLAIMS_MAX);
    }

    @Test
    void new_twoBudgetsOfOneName_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BudgetSet(List.of(budget("b", null, null), watched("b"))))
                .withMessageContaining("named b");
    }

    @Test
    void new_tooManyBudgets_isRefused() {
        List<Budget> many =
                IntStream.rangeClosed(0, BudgetSet.BUDGETS_MAX)
                        .mapToObj(i -> budget("b" + i, null, null))
                        .toList();

        assertThatIllegalArgumentException().isThrownBy(() -> new BudgetSet(many));
    }

    private static Budget priced(Unit unit, Mode mode, Reserve reserve, Unpriced unpriced) {
        return new Budget(
                "p-" + unit.name().toLowerCase(Locale.ROOT),
                unit,
                1_000,
                SECOND,
                Set.of(),
                null,
                null,
                mode,
                reserve,
                unpriced,
                List.of(),
                List.of());
    }

    private static Price measured(@Nullable String tool, long max) {
        return new Price(
                null,
                tool,
                Unit.TOKENS,
                new Price.Measured(max, new Price.ResultPointer("/usage"), 1));
    }

    @Test
    void claim_pricedBudgets_chargeTheFirstPriceThatMatches() {
        Budget cost = priced(Unit.COST, Mode.ENFORCE, Reserve.MAX, Unpriced.REFUSE);
        Budget tokens = priced(Unit.TOKENS, Mode.ENFORCE, Reserve.MAX, Unpriced.REFUSE);
        Price dear = new Price("fi*", null, Unit.COST, new Price.Known(400));
        BudgetSet set =
                new BudgetSet(
                        List.of(cost, tokens),
                        new PriceList(
                                List.of(
                                        measured("write_*", 1),
                                        dear,
                                        new Price(null, null, Unit.COST, new Price.Known(1)),
                                        measured("read_*", 70),
                                        measured(null, 90))));

        List<Charge> charges = set.claim(BOB, Mode.ENFORCE).charges();

        assertThat(charges).extracting(Charge::amount).containsExactly(400L, 70L);
        assertThat(charges)
                .extracting(Charge::kind)
                .containsExactly(Charge.Kind.PLAIN, Charge.Kind.METERED);
    }

    @Test
    void claim_noPrice_refusesUnlessToldOtherwiseOrOnlyCounted() {
        for (Unpriced unpriced : Unpriced.values()) {
            for (Mode mode : List.of(Mode.ENFORCE, Mode.SHADOW, Mode.WARN)) {
                Budget budget = priced(Unit.COST, mode, Reserve.MAX, unpriced);

                Claim claim = new BudgetSet(List.of(budget)).claim(BOB, Mode.ENFORCE);

                boolean refuses = mode == Mode.ENFORCE && unpriced == Unpriced.REFUSE;
                assertThat(claim.unpriced()).isEqualTo(refuses ? budget : null);
                assertThat(claim.charges()).isEmpty();
            }
        }
        Budget strict = priced(Unit.COST, Mode.ENFORCE, Reserve.MAX, Unpriced.REFUSE);
        assertThat(new BudgetSet(List.of(strict)).claim(BOB, Mode.SHADOW).unpriced()).isNull();
    }

    @Test
    void claim_adaptiveReserve_followsWhatCallsCost() {
        Budget budget = priced(Unit.TOKENS, Mode.ENFORCE, Reserve.ADAPTIVE, Unpriced.REFUSE);
        BudgetSet set = new BudgetSet(List.of(budget), new PriceList(List.of(measured(null, 900))));
        Charge first = set.claim(BOB, Mode.ENFORCE).charges().getFirst();
        for (int i = 0; i < Reserves.SAMPLES_LEAST; i++) {
            set.learn(first, 12);
        }

        assertThat(first.amount()).isEqualTo(900);
        assertThat(set.claim(BOB, Mode.ENFORCE).charges().getFirst().amount()).isEqualTo(12);
    }

    @Test
    void claim_overrides_theFirstThatMatchesCounts() {
        Budget budget =
                new Budget(
                        "b",
                        Unit.CALLS,
                        10,
                        SECOND,
                        Set.of(Dimension.TENANT, Dimension.TOOL),
                        null,
                        null,
                        Mode.ENFORCE,
                        Reserve.MAX,
                        Unpriced.REFUSE,
                        List.of(
                                new LimitOverride("globex", null, null, null, 1),
                                new LimitOverride("acme", null, "files", "read_file", 500),
                                new LimitOverride("acme", null, null, null, 0)),
                        List.of());
        BudgetSet set = new BudgetSet(List.of(budget));

        assertThat(limit(set, "acme", "read_file")).isEqualTo(500);
        assertThat(limit(set, "acme", "write_file")).isZero();
        assertThat(limit(set, "globex", "read_file")).isEqualTo(1);
        assertThat(limit(set, "initech", "read_file")).isEqualTo(10);
    }

    private static long limit(BudgetSet set, String tenant, String tool) {
        Subject subject = new Subject(tenant, "bob", "files", tool, null);
        return set.claim(subject, Mode.ENFORCE).charges().getFirst().counter().limit();
    }

    @Test
    void explain_everyBudgetOfTheRevision_inOrderWithTheReason() {
        BudgetSet set =
                new BudgetSet(
                        List.of(
                                budget("all", null, null),
                                budget("mail", "mail", null),
                                watched("watched"),
                                priced(Unit.COST, Mode.ENFORCE, Reserve.MAX, Unpriced.REFUSE),
                                priced(Unit.BYTES, Mode.ENFORCE, Reserve.MAX, Unpriced.ADMIT)));

        List<BudgetSet.Applied> applied = set.explain(BOB, Mode.ENFORCE);

        assertThat(applied)
                .extracting(BudgetSet.Applied::why)
                .containsExactly(
                        "limits",
                        "it matches other tools",
                        "counted, never refuses",
                        "refuses the call: it has no price",
                        "the call has no price");
        assertThat(applied)
                .extracting(a -> a.charge() != null)
                .containsExactly(true, false, true, false, false);
        assertThat(set.explain(BOB, Mode.OFF))
                .allMatch(a -> a.why().equals("the server's mode is off") && a.charge() == null);
    }

    /** What is charged and what is explained must be the same. */
    @Test
    void explain_agreesWithTheClaim() {
        BudgetSet set =
                new BudgetSet(
                        List.of(
                                budget("all", null, null, Dimension.TENANT),
                                budget("mail", "mail", null),
                                watched("watched"),
                                priced(Unit.TOKENS, Mode.WARN, Reserve.MAX, Unpriced.REFUSE)),
                        new PriceList(List.of(measured(null, 30))));
        for (Mode mode : Mode.values()) {
            assertThat(
                            set.explain(BOB, mode).stream()
                                    .map(BudgetSet.Applied::charge)
                                    .filter(Objects::nonNull))
                    .as("%s", mode)
                    .containsExactlyElementsOf(set.claim(BOB, mode).charges());
        }
    }
}
