/** DNS look-ups of host names that clients supply. */
@NullMarked
package dev.tollgate.server.dns;

import org.jspecify.annotations.NullMarked;
