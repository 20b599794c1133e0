/** Wiring of the process: every object is built by hand in start order and closed in reverse. */
@NullMarked
package dev.tollgate.server.wiring;

import org.jspecify.annotations.NullMarked;
