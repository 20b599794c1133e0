/**
 * API keys on a node: the cache over the store, polling of changes and a probe of provider keys.
 */
@NullMarked
package dev.tollgate.server.keys;

import org.jspecify.annotations.NullMarked;
