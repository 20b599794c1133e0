/**
 * Amounts, usage and prices: integer arithmetic with one rounding
 * (docs/decisions/money.md#rounding).
 */
@NullMarked
package dev.tollgate.core.money;

import org.jspecify.annotations.NullMarked;
