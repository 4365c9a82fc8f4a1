@NullMarked
package io.penstock.cluster.control;

import org.jspecify.annotations.NullMarked;
