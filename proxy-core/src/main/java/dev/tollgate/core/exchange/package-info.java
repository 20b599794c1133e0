/** The life of a request: phases, attempts, one way out. */
@NullMarked
package dev.tollgate.core.exchange;

import org.jspecify.annotations.NullMarked;
