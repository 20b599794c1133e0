/**
 * The bundled mock provider: an OpenAI-compatible server whose replies are a pure function of
 * request and seed, and whose model names select every way a provider can fail.
 */
@NullMarked
package dev.tollgate.mock;

import org.jspecify.annotations.NullMarked;
