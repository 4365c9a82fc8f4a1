@NullMarked
package io.penstock.cli.demo;

import org.jspecify.annotations.NullMarked;
