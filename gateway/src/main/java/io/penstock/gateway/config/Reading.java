package io.penstock.gateway.config;

import java.util.List;

/**
 * What came of reading a file.
 *
 * @param <T> what was asked for
 */
public sealed interface Reading<T> {

    /** It is valid as a whole. */
    record Valid<T>(T value) implements Reading<T> {}

    /** All that is wrong with it, by place. */
    record Invalid<T>(List<Problem> problems) implements Reading<T> {
        public Invalid {
            problems = problems.stream().sorted().toList();
        }
    }
}
