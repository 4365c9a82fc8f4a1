/** The admin plane: health, metrics, the operators' API. */
@NullMarked
package io.penstock.gateway.admin;

import org.jspecify.annotations.NullMarked;
