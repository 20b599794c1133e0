/** Operations: the access log, health, load shedding, the admin listener, reload and drain. */
@NullMarked
package dev.tollgate.server.ops;

import org.jspecify.annotations.NullMarked;
