/**
 * Calls of the control plane: the table of routes, the binding of paths, queries and bodies to
 * records, and the handlers. Nothing here knows the listener, its pipeline or its threads.
 */
@NullMarked
package dev.tollgate.server.control.route;

import org.jspecify.annotations.NullMarked;
