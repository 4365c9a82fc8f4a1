@NullMarked
package io.penstock.architecture.bad.gateway.call;

import org.jspecify.annotations.NullMarked;
