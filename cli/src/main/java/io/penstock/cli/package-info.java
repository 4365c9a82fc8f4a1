@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
