/**
 * Warm-up requests to a private gateway during the start, so that the JVM has loaded and linked
 * classes.
 */
@NullMarked
package dev.tollgate.server.warmup;

import org.jspecify.annotations.NullMarked;
