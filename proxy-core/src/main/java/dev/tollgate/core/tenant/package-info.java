/**
 * Tenants: API keys, organizations, the cache through which they are looked up, and the buckets
 * that bound look-ups and refusals.
 */
@NullMarked
package dev.tollgate.core.tenant;

import org.jspecify.annotations.NullMarked;
