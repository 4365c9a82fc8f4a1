package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AcknowledgerTest {
    private static final Incarnation ME = new Incarnation("a", new UUID(1, 1));
    private static final int LEASE_MILLIS = 1000;

    /** Each look at the clock takes 10 ms, so that waiting ends. */
    private long nowNanos;

    private final Installer installer = new Installer(0);
    private final RecordedCalls calls = new RecordedCalls();
    private final List<ControlSql.Acknowledgement> written = new ArrayList<>();
    private final Acknowledger acknowledger =
            new Acknowledger(installer, calls, () -> nowNanos += 10_000_000);

    @Test
    void step_nothingRead_writesNothing() throws SQLException {
        assertThat(step()).isFalse();
        assertThat(written).isEmpty();
    }

    @Test
    void step_newState_isAppliedThenAcknowledgedOnce() throws SQLException {
        install(5);

        assertThat(step()).isFalse();
        assertThat(step()).isFalse();

        assertThat(calls.applied).containsExactly(5L);
        assertThat(written).extracting(ControlSql.Acknowledgement::epoch).containsExactly(5L);
    }

    @Test
    void step_sendUnderAnOlderState_isNotAcknowledgedUntilItLeft() throws SQLException {
        install(5);
        Snapshot old = installer.view().enter();
        install(6);

        assertThat(step()).isTrue();
        assertThat(written).isEmpty();
        assertThat(calls.closedBefore).containsExactly(6L);

        old.leave();
        step();
        assertThat(written).extracting(ControlSql.Acknowledgement::epoch).containsExactly(6L);
    }

    @Test
    void step_sendLeavesInTime_closesNothing() throws SQLException {
        install(5);
        Snapshot old = installer.view().enter();
        install(6);
        old.leave();

        step();

        assertThat(calls.closedBefore).isEmpty();
        assertThat(written).hasSize(1);
    }

    @Test
    void step_openCallsEnd_isToldAgainWithNone() throws SQLException {
        calls.open.set(3);
        calls.cuts.set(2);
        install(5);

        assertThat(step()).isTrue();
        calls.open.set(0);
        assertThat(step()).isFalse();

        assertThat(written)
                .containsExactly(
                        new ControlSql.Acknowledgement(5, 5, 2, 3),
                        new ControlSql.Acknowledgement(5, 5, 2, 0));
    }

    @Test
    void step_epochThatCutsNothing_keepsTheCountOfTheOneThatDid() throws SQLException {
        calls.cuts.set(2);
        install(5);
        step();
        calls.cuts.set(0);
        install(6);
        step();

        assertThat(written.getLast()).isEqualTo(new ControlSql.Acknowledgement(6, 5, 2, 0));
    }

    @Test
    void step_newIncarnation_acknowledgesAgain() throws SQLException {
        install(5);
        step();

        acknowledger.step(this::write, new Incarnation("a", new UUID(2, 2)), LEASE_MILLIS);

        assertThat(written).hasSize(2);
    }

    @Test
    void step_afterForgetting_acknowledgesAgain() throws SQLException {
        install(5);
        step();
        acknowledger.forget();
        step();

        assertThat(written).hasSize(2);
    }

    @Test
    void apply_latchedStopUnderTheSameEpoch_isApplied() throws SQLException {
        install(5);
        acknowledger.apply();
        installer.latch(List.of(ControlStates.stop(new Scope.All(), 5, false)));

        acknowledger.apply();

        assertThat(calls.applied).containsExactly(5L, 5L);
    }

    private boolean step() throws SQLException {
        return acknowledger.step(this::write, ME, LEASE_MILLIS);
    }

    private void write(Incarnation incarnation, ControlSql.Acknowledgement acknowledgement) {
        written.add(acknowledgement);
    }

    private void install(long epoch) {
        List<Stop> stops = List.of(ControlStates.stop(new Scope.All(), epoch, false));
        installer.install(
                new Installer.Loaded(
                        new ControlState(
                                new Lease.Server(1, "00000001"),
                                epoch,
                                0,
                                0,
                                new ControlState.Stops.Whole(stops),
                                List.of()),
                        Installer.NO_RULES,
                        KeyRing.EMPTY));
    }
}
