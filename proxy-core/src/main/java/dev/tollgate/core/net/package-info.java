/** Addresses and URLs: address blocks, and the URLs that clients may have the gateway call. */
@NullMarked
package dev.tollgate.core.net;

import org.jspecify.annotations.NullMarked;
