/** Limits that all nodes share in one Redis, and the news of changed keys. */
@NullMarked
package dev.tollgate.server.redis;

import org.jspecify.annotations.NullMarked;
