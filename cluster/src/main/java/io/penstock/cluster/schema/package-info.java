/** The database schema: its migrations and its version. */
@NullMarked
package io.penstock.cluster.schema;

import org.jspecify.annotations.NullMarked;
