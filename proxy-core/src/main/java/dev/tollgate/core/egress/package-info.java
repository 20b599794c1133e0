/** Calls to URLs that clients supply: checked, resolved, and bounded in number, time and size. */
@NullMarked
package dev.tollgate.core.egress;

import org.jspecify.annotations.NullMarked;
