package io.penstock.e2e;

import java.util.List;
import java.util.function.Supplier;

/**
 * A test under load that is repeated, as a whole, where the machine was too slow for it. Nothing is
 * tolerated: a trial that was disturbed proves nothing, and a disturbance while the {@link Pulse}
 * was regular is the gateway's own and fails the test.
 */
final class Trial {
    private static final int ATTEMPTS = 5;

    private Trial() {}

    /**
     * Runs it until once nothing disturbed it.
     *
     * @param trial fails by itself where what it saw is wrong on any machine; returns what a
     *     machine that is busy with other things may have caused, a sentence each
     */
    static void run(String name, Supplier<List<String>> trial) {
        String last = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try (Pulse pulse = Pulse.start()) {
                List<String> disturbances = trial.get();
                if (disturbances.isEmpty()) return;
                last = String.join("; ", disturbances) + " (" + pulse.text() + ")";
                if (pulse.keptUp()) {
                    throw new AssertionError(name + ": the machine kept up, but " + last);
                }
                System.out.println(name + ": disturbed, trial " + attempt + ": " + last);
            }
        }
        throw new AssertionError(
                name
                        + ": this machine is too busy, "
                        + ATTEMPTS
                        + " trials were disturbed: "
                        + last);
    }

    /** What is said of calls that the gate could not decide, or nothing. */
    static List<String> undecided(List<OpenLoop.Sent> sent) {
        List<OpenLoop.Sent> undecided = sent.stream().filter(OpenLoop.Sent::undecided).toList();
        if (undecided.isEmpty()) return List.of();
        return List.of(
                undecided.size()
                        + " of "
                        + sent.size()
                        + " calls could not be decided, the first: "
                        + undecided.getFirst().decision());
    }
}
