@NullMarked
package io.penstock.budget;

import org.jspecify.annotations.NullMarked;
