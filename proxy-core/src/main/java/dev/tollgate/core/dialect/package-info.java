/** The provider seam: one file per wire format. */
@NullMarked
package dev.tollgate.core.dialect;

import org.jspecify.annotations.NullMarked;
