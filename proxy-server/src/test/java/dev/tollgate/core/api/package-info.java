/** Tests that hold what the mock provider makes against the core's own readers of files. */
@NullMarked
package dev.tollgate.core.api;

import org.jspecify.annotations.NullMarked;
