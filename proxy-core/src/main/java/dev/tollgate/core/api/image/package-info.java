/** Image generation and edits, and the image fields of video and music jobs. */
@NullMarked
package dev.tollgate.core.api.image;

import org.jspecify.annotations.NullMarked;
