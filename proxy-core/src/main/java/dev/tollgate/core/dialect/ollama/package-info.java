/** The Ollama dialect. */
@NullMarked
package dev.tollgate.core.dialect.ollama;

import org.jspecify.annotations.NullMarked;
