package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Batches;
import io.penstock.budget.Charge;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.cluster.admission.Admission.Spent;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link LanesHoldsTest}'s failures at every place in turn, on a real database. */
@Timeout(120)
final class LanesHoldsIT {
    @RegisterExtension static final PostgresLedgers LEDGERS = new PostgresLedgers();

    private final Counter calls = Batches.counter("calls", 1_000_000);
    private final Counter tokens = HeldCalls.tokens();
    private final Counter slots = HeldCalls.slots();
    private final Claim claim =
            new Claim(
                    List.of(
                            new Charge(calls, 1),
                            new Charge(tokens, 50, Charge.Kind.METERED, null),
                            new Charge(slots, 1, Charge.Kind.SLOT, null)));

    @ParameterizedTest
    @EnumSource
    void everything_nthRequestFails_nothingLeaksAndNothingCountsTwice(FailingLedger.Where where)
            throws Exception {
        boolean failed = true;
        int sent = 0;
        for (int nth = 1; failed; nth++) {
            assertThat(nth).isLessThan(100);
            FailingLedger failing = new FailingLedger(LEDGERS.fixture().opener(), nth, where);
            sent += run(failing);
            assertThat(LEDGERS.fixture().holds()).as("holds, failure %d", nth).isZero();
            assertThat(LEDGERS.fixture().held(tokens)).as("held, failure %d", nth).isZero();
            assertThat(LEDGERS.fixture().used(slots)).as("slots, failure %d", nth).isZero();
            assertThat(LEDGERS.fixture().used(calls)).as("calls, failure %d", nth).isEqualTo(sent);
            assertThat(LEDGERS.fixture().used(tokens))
                    .as("tokens, failure %d", nth)
                    .isEqualTo(20L * sent);
            failed = failing.failed();
        }
    }

    /** Five calls, three of them sent where they are admitted; gives how many were. */
    private int run(FailingLedger failing) throws InterruptedException {
        FixedControl control = new FixedControl(LEDGERS.fixture().epoch(), List.of());
        int sent = 0;
        try (Lanes lanes =
                new Lanes(
                        new LanesConfig(Duration.ofSeconds(10), 1_000, 1),
                        failing,
                        control,
                        AdmissionListener.NONE,
                        () -> {},
                        System::nanoTime)) {
            lanes.start();
            for (int i = 0; i < 5; i++) {
                if (!(admit(lanes, control) instanceof Verdict.Admitted call)) {
                    continue;
                }
                if (i % 2 == 0) {
                    sent++;
                    lanes.settle(call, List.of(new Spent(tokens, 20)));
                } else {
                    lanes.giveBack(call);
                }
                await(() -> LEDGERS.fixture().holds() == 0);
            }
        }
        return sent;
    }

    private Verdict admit(Lanes lanes, FixedControl control) {
        return lanes.admit(
                new AdmissionRequest(
                        UUID.randomUUID(),
                        Batches.subject("bob"),
                        claim,
                        "tools/call",
                        control.view().current(),
                        60_000,
                        System.nanoTime()));
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("it never came true").isLessThan(end);
            Thread.sleep(2);
        }
    }
}
