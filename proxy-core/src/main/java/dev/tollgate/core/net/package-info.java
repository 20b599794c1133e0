/** Addresses and URLs: blocks, and what clients may have us call. */
@NullMarked
package dev.tollgate.core.net;

import org.jspecify.annotations.NullMarked;
