/** Event streams as the WHATWG defines them, over bytes: nothing is decoded per read. */
@NullMarked
package dev.tollgate.core.sse;

import org.jspecify.annotations.NullMarked;
