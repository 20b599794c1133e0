/** The house rules that a compiler does not know: package order, sizes, documentation, hygiene. */
@NullMarked
package dev.tollgate.server.tidy;

import org.jspecify.annotations.NullMarked;
