/** The Cohere v2 dialect. */
@NullMarked
package dev.tollgate.core.dialect.cohere;

import org.jspecify.annotations.NullMarked;
