package io.penstock.cluster.control;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The control state as one database snapshot holds it.
 *
 * @param server the one that it was read from
 * @param stops what became of them since the reader's state; null: the epoch is the installed one
 * @param blocks null: none changed since the installed epoch
 */
record ControlState(
        Lease.Server server,
        long epoch,
        long revision,
        long keysVersion,
        @Nullable Stops stops,
        @Nullable List<Block> blocks) {

    /** Stops that are in force, or what has to be done to those of an older state. */
    sealed interface Stops {
        /** All of them, in order of epoch. */
        record Whole(List<Stop> stops) implements Stops {
            public Whole {
                stops = List.copyOf(stops);
            }
        }

        /**
         * What changed after an epoch.
         *
         * @param since of the state that these changes can be made to, or to any later one of the
         *     same server: they say what became of each stop, not what was done to it
         * @param given in order of epoch
         */
        record Changes(long since, List<Stop> given, Set<UUID> lifted) implements Stops {
            public Changes {
                given = List.copyOf(given);
                lifted = Set.copyOf(lifted);
            }

            List<Stop> madeTo(List<Stop> before) {
                Set<UUID> changed = new HashSet<>(lifted);
                given.forEach(stop -> changed.add(stop.id()));
                List<Stop> after = new ArrayList<>(before.size() + given.size());
                for (Stop stop : before) {
                    if (!changed.contains(stop.id())) {
                        after.add(stop);
                    }
                }
                after.addAll(given);
                return List.copyOf(after);
            }
        }

        /** What is in force after this, where {@code before} was. */
        default List<Stop> after(List<Stop> before) {
            return switch (this) {
                case Whole whole -> whole.stops();
                case Changes changes -> changes.madeTo(before);
            };
        }

        /** Whether it says anything of a state with that epoch. */
        default boolean follows(long epoch) {
            return !(this instanceof Changes changes) || epoch >= changes.since();
        }
    }

    boolean unchanged() {
        return stops == null;
    }
}
