/** Ids of requests, keys, organizations, models and providers: records that parse and format. */
@NullMarked
package dev.tollgate.core.id;

import org.jspecify.annotations.NullMarked;
