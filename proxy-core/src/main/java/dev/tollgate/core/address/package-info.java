/** Addresses and URLs: blocks, and what clients may have us call. */
@NullMarked
package dev.tollgate.core.address;

import org.jspecify.annotations.NullMarked;
