/**
 * Outages of the store, as the components of a node meet them.
 *
 * <p>Each component has a {@link StoreOutage}, which says once that its calls fail and once that
 * they succeed again.
 */
@NullMarked
package dev.tollgate.server.outage;

import org.jspecify.annotations.NullMarked;
