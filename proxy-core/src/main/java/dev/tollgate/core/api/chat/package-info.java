/** Chat completions: request parsing, the call to a provider, replies and streamed chunks. */
@NullMarked
package dev.tollgate.core.api.chat;

import org.jspecify.annotations.NullMarked;
