/**
 * Connections to Postgres, the transactions over them, and the Postgres that comes with Penstock.
 */
@NullMarked
package io.penstock.cluster.postgres;

import org.jspecify.annotations.NullMarked;
