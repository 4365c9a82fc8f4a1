@NullMarked
package io.penstock.cluster;

import org.jspecify.annotations.NullMarked;
