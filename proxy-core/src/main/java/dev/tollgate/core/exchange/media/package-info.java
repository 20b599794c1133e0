/** Request tasks of the media job endpoints: submission, queries and image uploads. */
@NullMarked
package dev.tollgate.core.exchange.media;

import org.jspecify.annotations.NullMarked;
