/** Replies about the caller: its key, its credits and the models that it may call. */
@NullMarked
package dev.tollgate.core.api.account;

import org.jspecify.annotations.NullMarked;
