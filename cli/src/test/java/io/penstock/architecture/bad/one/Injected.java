package io.penstock.architecture.bad.one;

import javax.annotation.processing.Completion;

/** Types of a framework that is not ours. */
record Injected(Completion completion) {}
