/** How much of the service a caller may use at once: rates, tokens and concurrent requests. */
@NullMarked
package dev.tollgate.core.limit;

import org.jspecify.annotations.NullMarked;
