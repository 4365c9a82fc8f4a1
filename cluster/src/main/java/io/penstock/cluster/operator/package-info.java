/** What an operator does to a cluster, from a terminal or through a replica's admin API. */
@NullMarked
package io.penstock.cluster.operator;

import org.jspecify.annotations.NullMarked;
