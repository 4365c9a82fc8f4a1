@NullMarked
package io.penstock.gateway.admin;

import org.jspecify.annotations.NullMarked;
