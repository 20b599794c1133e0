/** Errors that the API can show: codes, types and faults. */
@NullMarked
package dev.tollgate.core.fault;

import org.jspecify.annotations.NullMarked;
