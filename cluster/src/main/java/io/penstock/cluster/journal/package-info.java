@NullMarked
package io.penstock.cluster.journal;

import org.jspecify.annotations.NullMarked;
