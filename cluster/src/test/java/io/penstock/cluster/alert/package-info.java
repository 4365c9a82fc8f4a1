@NullMarked
package io.penstock.cluster.alert;

import org.jspecify.annotations.NullMarked;
