/**
 * Bundled mock provider: an OpenAI-compatible server whose replies are a pure function of request
 * and seed. Model names select faults.
 */
@NullMarked
package dev.tollgate.mock;

import org.jspecify.annotations.NullMarked;
