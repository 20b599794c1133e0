/** Operations: metrics, the access log, health, the admin listener, reload and drain. */
@NullMarked
package dev.tollgate.server.ops;

import org.jspecify.annotations.NullMarked;
