/**
 * Types that all parts of an exchange share: client side, request record, phases, charges and
 * buffers.
 */
@NullMarked
package dev.tollgate.core.exchange.frame;

import org.jspecify.annotations.NullMarked;
