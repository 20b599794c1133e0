/** The Gemini dialect and its variants on Vertex AI. */
@NullMarked
package dev.tollgate.core.dialect.gemini;

import org.jspecify.annotations.NullMarked;
