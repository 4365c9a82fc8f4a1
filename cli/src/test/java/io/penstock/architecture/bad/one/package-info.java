@NullMarked
package io.penstock.architecture.bad.one;

import org.jspecify.annotations.NullMarked;
