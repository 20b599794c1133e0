/** Which provider to try, and which one next. */
@NullMarked
package dev.tollgate.core.routing;

import org.jspecify.annotations.NullMarked;
