@NullMarked
package io.penstock.gateway.http;

import org.jspecify.annotations.NullMarked;
