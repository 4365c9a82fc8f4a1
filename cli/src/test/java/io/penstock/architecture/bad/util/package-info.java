@NullMarked
package io.penstock.architecture.bad.util;

import org.jspecify.annotations.NullMarked;
