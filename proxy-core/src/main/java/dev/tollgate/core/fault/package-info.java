/** Every error that the API can show (SPEC 7). */
@NullMarked
package dev.tollgate.core.fault;

import org.jspecify.annotations.NullMarked;
