/** Duration of audio files, read from their container headers. */
@NullMarked
package dev.tollgate.core.api.audio;

import org.jspecify.annotations.NullMarked;
