/**
 * Sizes of prompts, and estimates of their tokens from bytes, because no tokenizer runs on an event
 * loop.
 */
@NullMarked
package dev.tollgate.core.prompt;

import org.jspecify.annotations.NullMarked;
