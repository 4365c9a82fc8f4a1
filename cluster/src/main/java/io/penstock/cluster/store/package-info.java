/** Cluster-wide configuration in Postgres: keys, revisions, sealing keys. */
@NullMarked
package io.penstock.cluster.store;

import org.jspecify.annotations.NullMarked;
