@NullMarked
package io.penstock.architecture.bad.gateway.door;

import org.jspecify.annotations.NullMarked;
