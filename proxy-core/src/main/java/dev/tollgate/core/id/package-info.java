/** Names: records that parse and print. */
@NullMarked
package dev.tollgate.core.id;

import org.jspecify.annotations.NullMarked;
