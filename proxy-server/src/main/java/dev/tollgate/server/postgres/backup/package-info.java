/** Export and import of a whole store. */
@NullMarked
package dev.tollgate.server.postgres.backup;

import org.jspecify.annotations.NullMarked;
