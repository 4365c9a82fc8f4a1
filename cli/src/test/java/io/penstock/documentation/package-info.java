/** The documentation as far as a machine can check it. */
@NullMarked
package io.penstock.documentation;

import org.jspecify.annotations.NullMarked;
