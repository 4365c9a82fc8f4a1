/** The plain HTTP door, and what both doors share on the way in. */
@NullMarked
package io.penstock.gateway.api;

import org.jspecify.annotations.NullMarked;
