/** Types of single values that exist only in the configuration, with their text form. */
@NullMarked
package dev.tollgate.server.settings.value;

import org.jspecify.annotations.NullMarked;
