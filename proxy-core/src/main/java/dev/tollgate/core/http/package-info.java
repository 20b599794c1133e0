/** HTTP/1.1 on bytes: strict heads, body framing, one message at a time (RFC 9112). */
@NullMarked
package dev.tollgate.core.http;

import org.jspecify.annotations.NullMarked;
