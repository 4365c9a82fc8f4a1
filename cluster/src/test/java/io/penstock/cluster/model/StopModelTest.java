package io.penstock.cluster.model;

import io.penstock.cluster.model.StopModel.Bounds;
import io.penstock.cluster.model.StopModel.May;
import org.junit.jupiter.api.Test;

final class StopModelTest {
    private void go(String name, Bounds b) {
        StopModel m = new StopModel(b);
        long t = System.nanoTime();
        var found = new Explorer<>(m::steps, m::wrong).everywhere(m.start(), 3_000_000);
        System.out.println("ZZ " + name + " " + found + " " + (System.nanoTime() - t) / 1_000_000 + " ms");
    }

    @Test
    void counts() {
        go("1r1o base", Bounds.of(1, 1));
        go("1r1o die resume", Bounds.of(1, 1, May.DIE, May.RESUME));
        go("1r2o die resume", Bounds.of(1, 2, May.DIE, May.RESUME));
        go("1r1o drift die", Bounds.of(1, 1, May.DIE, May.DRIFT));
        go("1r1o drift late freeze", Bounds.of(1, 1, May.DIE, May.DRIFT, May.READ_LATE, May.FREEZE));
        go("1r2o late freeze resume", Bounds.of(1, 2, May.READ_LATE, May.FREEZE, May.RESUME));
        go("1r2o drift late freeze resume", Bounds.of(1, 2, May.DRIFT, May.READ_LATE, May.FREEZE, May.RESUME));
        go("1r2o failover resume", Bounds.of(1, 2, May.FAIL_OVER, May.RESUME));
        go("1r2o failover late resume", Bounds.of(1, 2, May.FAIL_OVER, May.RESUME, May.READ_LATE));
        go("1r1o sweep shorten", Bounds.of(1, 1, May.SWEEP, May.SHORTEN).lease(2, 3));
        go("2r1o", Bounds.of(2, 1));
        go("2r1o die close", Bounds.of(2, 1, May.DIE, May.CLOSE));
        go("2r1o resume die", Bounds.of(2, 1, May.RESUME, May.DIE));
        go("2r2o resume", Bounds.of(2, 2, May.RESUME));
    }
}
