/** Who calls: keys, organizations and how they are looked up. */
@NullMarked
package dev.tollgate.core.tenant;

import org.jspecify.annotations.NullMarked;
