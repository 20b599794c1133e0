/** DNS resolution of host names in URLs that clients supply. */
@NullMarked
package dev.tollgate.server.dns;

import org.jspecify.annotations.NullMarked;
