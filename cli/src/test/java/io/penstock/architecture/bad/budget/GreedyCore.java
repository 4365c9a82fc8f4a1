package io.penstock.architecture.bad.budget;

import java.net.URI;

/** A core that reaches outside the JDK packages a core may use. */
record GreedyCore(URI address) {}
