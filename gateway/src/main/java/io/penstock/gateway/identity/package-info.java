/** Who makes a request. */
@NullMarked
package io.penstock.gateway.identity;

import org.jspecify.annotations.NullMarked;
