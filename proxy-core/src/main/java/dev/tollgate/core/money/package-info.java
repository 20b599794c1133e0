/** Amounts, usage and prices: integer arithmetic with one rounding (DECISIONS 8). */
@NullMarked
package dev.tollgate.core.money;

import org.jspecify.annotations.NullMarked;
