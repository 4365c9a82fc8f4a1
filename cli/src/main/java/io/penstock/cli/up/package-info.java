@NullMarked
package io.penstock.cli.up;

import org.jspecify.annotations.NullMarked;
