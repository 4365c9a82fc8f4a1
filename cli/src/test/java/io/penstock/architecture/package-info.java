/** The architecture's rules as tests, each proved able to fail by an example that breaks it. */
@NullMarked
package io.penstock.architecture;

import org.jspecify.annotations.NullMarked;
