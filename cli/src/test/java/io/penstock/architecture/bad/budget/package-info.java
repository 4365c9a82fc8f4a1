@NullMarked
package io.penstock.architecture.bad.budget;

import org.jspecify.annotations.NullMarked;
