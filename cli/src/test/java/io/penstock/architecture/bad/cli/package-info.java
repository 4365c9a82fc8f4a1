@NullMarked
package io.penstock.architecture.bad.cli;

import org.jspecify.annotations.NullMarked;
