/** Requests to a private gateway before the start ends, so that the JVM has loaded and linked. */
@NullMarked
package dev.tollgate.server.warmup;

import org.jspecify.annotations.NullMarked;
