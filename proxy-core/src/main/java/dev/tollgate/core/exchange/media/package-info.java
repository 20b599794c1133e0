/** Exchanges about media jobs: submission, queries and image uploads. */
@NullMarked
package dev.tollgate.core.exchange.media;

import org.jspecify.annotations.NullMarked;
