@NullMarked
package io.penstock.cluster.admission;

import org.jspecify.annotations.NullMarked;
