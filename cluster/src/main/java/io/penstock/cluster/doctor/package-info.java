/** Examines a database for what would break the guarantees. */
@NullMarked
package io.penstock.cluster.doctor;

import org.jspecify.annotations.NullMarked;
