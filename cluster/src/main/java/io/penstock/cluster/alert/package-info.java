/** Tells people that a budget is nearly used up: once for each counter, window and share. */
@NullMarked
package io.penstock.cluster.alert;

import org.jspecify.annotations.NullMarked;
