@NullMarked
package io.penstock.gateway.upstream;

import org.jspecify.annotations.NullMarked;
