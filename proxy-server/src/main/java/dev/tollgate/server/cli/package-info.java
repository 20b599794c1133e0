/** Command line of the program. */
@NullMarked
package dev.tollgate.server.cli;

import org.jspecify.annotations.NullMarked;
