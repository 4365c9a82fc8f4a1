@NullMarked
package io.penstock.gateway.mcp;

import org.jspecify.annotations.NullMarked;
