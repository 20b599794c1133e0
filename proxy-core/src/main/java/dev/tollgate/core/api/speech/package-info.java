/** Speech and transcriptions: request parsing, audio streams and transcript replies. */
@NullMarked
package dev.tollgate.core.api.speech;

import org.jspecify.annotations.NullMarked;
