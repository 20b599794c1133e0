/** Dialect of Ollama's own API. */
@NullMarked
package dev.tollgate.core.dialect.ollama;

import org.jspecify.annotations.NullMarked;
