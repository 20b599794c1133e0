/** Dialect of Anthropic's Messages API: requests, replies, streams and errors. */
@NullMarked
package dev.tollgate.core.dialect.anthropic;

import org.jspecify.annotations.NullMarked;
