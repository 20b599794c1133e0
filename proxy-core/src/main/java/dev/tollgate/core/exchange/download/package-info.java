/** Downloads of stored outputs through the gateway. */
@NullMarked
package dev.tollgate.core.exchange.download;

import org.jspecify.annotations.NullMarked;
