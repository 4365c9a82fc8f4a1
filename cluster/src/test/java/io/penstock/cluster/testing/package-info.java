/** Real databases for tests. */
@NullMarked
package io.penstock.cluster.testing;

import org.jspecify.annotations.NullMarked;
