package io.penstock.architecture.bad.unmarked;

/** In a package without @NullMarked. */
record Forgotten() {}
