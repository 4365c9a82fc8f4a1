package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.budget.Subject;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InstallerTest {
    private static final Subject SUBJECT = new Subject("acme", "crawler", "files", "read", null);

    private static final Lease.Server SERVER = new Lease.Server(1, "00000001");
    private static final Lease.Server PROMOTED = new Lease.Server(1, "00000002");

    private final Installer installer = new Installer(1000);

    @Test
    void view_beforeAnything_isStale() {
        assertThat(judge(0)).isEqualTo(Judgement.CLEAR);
        assertThat(judge(1000)).isEqualTo(Judgement.STALE);
    }

    @Test
    void install_newerState_inheritsTheLeaseAndNoMore() {
        install(state(5, List.of(), List.of()));
        installer.trust(5, 9000, 77);

        install(state(6, List.of(), List.of()));

        assertThat(installer.epoch()).isEqualTo(6);
        assertThat(installer.view().current().trustedUntilNanos()).isEqualTo(9000);
        assertThat(installer.view().current().notAfterMillis()).isEqualTo(77);
    }

    @Test
    void install_sameOrLowerEpoch_changesNothing() {
        install(state(5, List.of(), List.of()));
        Snapshot before = installer.view().current();

        assertThat(install(state(5, List.of(stop()), List.of()))).isFalse();
        assertThat(install(state(4, List.of(stop()), List.of()))).isFalse();
        assertThat(installer.view().current()).isSameAs(before);
    }

    @Test
    void install_noBlockChanged_keepsBlocks() {
        install(
                state(
                        5,
                        List.of(),
                        List.of(new Block("acme", "crawler", "odd", Long.MAX_VALUE / 2))));
        installer.trust(5, 9000, 0);

        install(state(6, List.of(), null));

        assertThat(judge(2000)).isInstanceOf(Judgement.Blocked.class);
    }

    @Test
    void trust_forAnEpochThatIsNotCurrent_extendsNothing() {
        install(state(5, List.of(), List.of()));
        install(state(6, List.of(), List.of()));

        assertThat(installer.trust(5, 9000, 0)).isFalse();
        assertThat(judge(2000)).isEqualTo(Judgement.STALE);
    }

    @Test
    void install_readFromAnotherServer_changesNothing() {
        install(state(5, List.of(stop()), List.of()));
        Snapshot before = installer.view().current();

        assertThat(installer.install(loaded(PROMOTED, 6, List.of()))).isFalse();

        assertThat(installer.view().current()).isSameAs(before);
        assertThat(installer.comesFrom(PROMOTED)).isFalse();
        assertThatThrownBy(() -> installer.checkSource(PROMOTED)).isInstanceOf(SQLException.class);
    }

    /** A failover lost the epoch 5 that was installed, and a stop got its number. */
    @Test
    void adopt_sameEpochOfAnotherServer_isAnotherState() {
        install(state(5, List.of(), List.of()));
        installer.trust(5, 9000, 0);
        installer.distrust(1000);

        assertThat(installer.adopt(loaded(PROMOTED, 5, List.of(stop())))).isTrue();
        installer.trust(5, 9000, 0);

        assertThat(judge(2000)).isInstanceOf(Judgement.Stopped.class);
        assertThat(installer.comesFrom(PROMOTED)).isTrue();
        assertThat(installer.install(loaded(SERVER, 6, List.of()))).isFalse();
        assertThat(installer.install(loaded(PROMOTED, 6, List.of()))).isTrue();
    }

    @Test
    void adopt_sectionOfTheStateBefore_isWaitedFor() {
        install(state(5, List.of(), List.of()));
        Snapshot old = installer.view().enter();

        installer.adopt(loaded(PROMOTED, 5, List.of(stop())));

        assertThat(installer.olderQuiet()).isFalse();
        old.leave();
        assertThat(installer.olderQuiet()).isTrue();
    }

    @Test
    void adopt_lowerEpochOfAnotherServer_changesNothing() {
        install(state(5, List.of(), List.of()));

        assertThat(installer.adopt(loaded(PROMOTED, 4, List.of()))).isFalse();
        assertThat(installer.comesFrom(SERVER)).isTrue();
    }

    @Test
    void adopt_sameEpochOfTheSameServer_changesNothing() {
        install(state(5, List.of(), List.of()));
        Snapshot before = installer.view().current();

        assertThat(installer.adopt(loaded(SERVER, 5, List.of(stop())))).isFalse();
        assertThat(installer.view().current()).isSameAs(before);
    }

    @Test
    void trust_earlierEnd_doesNotShorten() {
        install(state(5, List.of(), List.of()));
        installer.trust(5, 9000, 0);
        installer.trust(5, 8000, 0);

        assertThat(judge(8500)).isEqualTo(Judgement.CLEAR);
    }

    @Test
    void distrust_sectionOfAnOlderStateOpen_endsItsLeaseToo() {
        install(state(5, List.of(), List.of()));
        installer.trust(5, 9000, 0);
        Snapshot old = installer.view().enter();
        install(state(6, List.of(), List.of()));

        installer.distrust(2000);

        assertThat(old.judge(SUBJECT, 2000)).isEqualTo(Judgement.STALE);
        assertThat(judge(2000)).isEqualTo(Judgement.STALE);
    }

    @Test
    void olderQuiet_sectionOpen_isFalseUntilItIsLeft() {
        install(state(5, List.of(), List.of()));
        Snapshot old = installer.view().enter();
        assertThat(installer.olderQuiet()).isTrue();

        install(state(6, List.of(), List.of()));
        assertThat(installer.olderQuiet()).isFalse();
        install(state(7, List.of(), List.of()));
        assertThat(installer.olderQuiet()).isFalse();

        old.leave();
        assertThat(installer.olderQuiet()).isTrue();
    }

    @Test
    void latch_newerStatesCome_holdsUntilItIsDropped() {
        install(state(5, List.of(), List.of()));
        installer.trust(5, 9000, 0);
        installer.latch(List.of(stop()));
        assertThat(judge(2000)).isInstanceOf(Judgement.Stopped.class);
        assertThat(installer.epoch()).isEqualTo(5);

        install(state(6, List.of(), List.of()));
        assertThat(judge(2000)).isInstanceOf(Judgement.Stopped.class);

        installer.latch(List.of());
        assertThat(judge(2000)).isEqualTo(Judgement.CLEAR);
    }

    @Test
    void install_changesOfALaterState_areNotMadeToAnEarlierOne() {
        install(state(5, List.of(stop()), List.of()));
        ControlState.Stops changes = new ControlState.Stops.Changes(7, List.of(), Set.of());

        assertThat(install(new ControlState(SERVER, 8, 0, 0, changes, List.of()))).isFalse();
        assertThat(installer.epoch()).isEqualTo(5);
    }

    @Test
    void install_changes_keepWhatTheyDoNotName() {
        Stop stays = ControlStates.stop(new Scope.All(), 3, false);
        Stop goes = ControlStates.stop(new Scope.Tenant("t"), 4, false);
        install(state(5, List.of(stays, goes), List.of()));

        Stop comes = ControlStates.stop(new Scope.Tenant("u"), 7, false);
        var changes = new ControlState.Stops.Changes(5, List.of(comes), Set.of(goes.id()));
        install(new ControlState(SERVER, 7, 0, 0, changes, List.of()));

        assertThat(installer.view().current().stops()).containsExactly(stays, comes);
    }

    private Judgement judge(long nowNanos) {
        return installer.view().current().judge(SUBJECT, nowNanos);
    }

    private boolean install(ControlState state) {
        return installer.install(new Installer.Loaded(state, Installer.NO_RULES, KeyRing.EMPTY));
    }

    private static ControlState state(long epoch, List<Stop> stops, @Nullable List<Block> blocks) {
        return new ControlState(SERVER, epoch, 0, 0, new ControlState.Stops.Whole(stops), blocks);
    }

    private static Installer.Loaded loaded(Lease.Server server, long epoch, List<Stop> stops) {
        return new Installer.Loaded(
                new ControlState(
                        server, epoch, 0, 0, new ControlState.Stops.Whole(stops), List.of()),
                Installer.NO_RULES,
                KeyRing.EMPTY);
    }

    private static Stop stop() {
        return ControlStates.stop(new Scope.All(), 6, false);
    }
}
