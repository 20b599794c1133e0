/** Tenants: API keys, organizations, and the cache through which they are looked up. */
@NullMarked
package dev.tollgate.core.tenant;

import org.jspecify.annotations.NullMarked;
