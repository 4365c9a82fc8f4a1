@NullMarked
package io.penstock.cli.logging;

import org.jspecify.annotations.NullMarked;
