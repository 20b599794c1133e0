/** Embeddings: request parsing, the call to a provider and replies. */
@NullMarked
package dev.tollgate.core.api.embedding;

import org.jspecify.annotations.NullMarked;
