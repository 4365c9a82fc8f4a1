@NullMarked
package io.penstock.architecture.bad.cluster;

import org.jspecify.annotations.NullMarked;
