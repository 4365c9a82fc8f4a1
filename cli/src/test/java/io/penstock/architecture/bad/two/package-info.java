@NullMarked
package io.penstock.architecture.bad.two;

import org.jspecify.annotations.NullMarked;
