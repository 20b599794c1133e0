/** Types of single values that only the configuration has: they parse and print. */
@NullMarked
package dev.tollgate.server.settings.value;

import org.jspecify.annotations.NullMarked;
