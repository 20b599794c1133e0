/** Dialects of Gemini and of Vertex AI, which also hosts Anthropic's models. */
@NullMarked
package dev.tollgate.core.dialect.gemini;

import org.jspecify.annotations.NullMarked;
