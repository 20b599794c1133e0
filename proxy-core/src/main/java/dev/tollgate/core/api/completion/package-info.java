/** Legacy text completions: request parsing, replies and streams. */
@NullMarked
package dev.tollgate.core.api.completion;

import org.jspecify.annotations.NullMarked;
