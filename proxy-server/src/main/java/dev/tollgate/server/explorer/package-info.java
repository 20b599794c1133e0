/** The request view, which the explorer reads, and the arithmetic of a request's charge. */
@NullMarked
package dev.tollgate.server.explorer;

import org.jspecify.annotations.NullMarked;
