/** Registry of all dialects, by the type name in a provider's configuration. */
@NullMarked
package dev.tollgate.core.dialect.registry;

import org.jspecify.annotations.NullMarked;
