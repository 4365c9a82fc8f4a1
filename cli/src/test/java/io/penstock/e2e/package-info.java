/** End-to-end tests: real processes, real sockets, clients and servers that are not ours. */
@NullMarked
package io.penstock.e2e;

import org.jspecify.annotations.NullMarked;
