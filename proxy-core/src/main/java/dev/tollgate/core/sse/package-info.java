/**
 * Event streams as defined by the WHATWG, and the formats of AWS and of JSON lines, decoded over
 * bytes.
 */
@NullMarked
package dev.tollgate.core.sse;

import org.jspecify.annotations.NullMarked;
