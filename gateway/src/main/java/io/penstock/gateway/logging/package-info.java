/** One event, one line: how this program logs. */
@NullMarked
package io.penstock.gateway.logging;

import org.jspecify.annotations.NullMarked;
