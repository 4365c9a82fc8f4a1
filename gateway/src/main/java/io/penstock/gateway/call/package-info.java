@NullMarked
package io.penstock.gateway.call;

import org.jspecify.annotations.NullMarked;
