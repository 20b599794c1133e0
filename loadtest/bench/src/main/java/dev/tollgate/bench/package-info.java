/**
 * The load that {@code tollgate bench} makes: requests at a rate that waits for nobody, to gateway
 * and provider in turn, and what came of them.
 */
@NullMarked
package dev.tollgate.bench;

import org.jspecify.annotations.NullMarked;
