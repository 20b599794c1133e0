/** Dialect of Cohere's API, version 2. */
@NullMarked
package dev.tollgate.core.dialect.cohere;

import org.jspecify.annotations.NullMarked;
