@NullMarked
package io.penstock.gateway.alert;

import org.jspecify.annotations.NullMarked;
