@NullMarked
package io.penstock.gateway.socket;

import org.jspecify.annotations.NullMarked;
