/** One file per API endpoint: parse, validate, estimate, edit, shape the reply. */
@NullMarked
package dev.tollgate.core.api;

import org.jspecify.annotations.NullMarked;
