package io.penstock.architecture.bad.one;

import java.util.Optional;

/** An Optional as a parameter. */
interface Optionally {
    void take(Optional<String> maybe);
}
