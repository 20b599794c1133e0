/** Periodic maintenance of the store: partitions, expired rows and nodes that stopped. */
@NullMarked
package dev.tollgate.server.maintenance;

import org.jspecify.annotations.NullMarked;
