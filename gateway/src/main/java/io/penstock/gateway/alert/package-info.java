/** Carries the cluster's alerts to people's own systems. */
@NullMarked
package io.penstock.gateway.alert;

import org.jspecify.annotations.NullMarked;
