/** Every error that the API can show. */
@NullMarked
package dev.tollgate.core.fault;

import org.jspecify.annotations.NullMarked;
