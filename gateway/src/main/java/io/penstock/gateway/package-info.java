@NullMarked
package io.penstock.gateway;

import org.jspecify.annotations.NullMarked;
