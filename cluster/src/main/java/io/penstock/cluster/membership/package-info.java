/** Who leads a duty, and the duties themselves. */
@NullMarked
package io.penstock.cluster.membership;

import org.jspecify.annotations.NullMarked;
