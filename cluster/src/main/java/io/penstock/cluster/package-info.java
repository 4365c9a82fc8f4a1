/** One replica's part in its cluster, put together. */
@NullMarked
package io.penstock.cluster;

import org.jspecify.annotations.NullMarked;
