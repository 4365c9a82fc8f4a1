/** Makes the first real call as fast as the thousandth. */
@NullMarked
package io.penstock.gateway.warmup;

import org.jspecify.annotations.NullMarked;
