/** Multipart form bodies: boundary search, part heads, and a reader of parts in a buffered body. */
@NullMarked
package dev.tollgate.core.http.multipart;

import org.jspecify.annotations.NullMarked;
