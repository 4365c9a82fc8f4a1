@NullMarked
package io.penstock.gateway.door;

import org.jspecify.annotations.NullMarked;
