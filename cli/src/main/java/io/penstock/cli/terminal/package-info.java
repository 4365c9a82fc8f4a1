@NullMarked
package io.penstock.cli.terminal;

import org.jspecify.annotations.NullMarked;
