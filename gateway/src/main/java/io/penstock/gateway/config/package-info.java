@NullMarked
package io.penstock.gateway.config;

import org.jspecify.annotations.NullMarked;
