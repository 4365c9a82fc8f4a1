/** Exhaustive exploration of the protocols' models: every interleaving within stated bounds. */
@NullMarked
package io.penstock.cluster.model;

import org.jspecify.annotations.NullMarked;
