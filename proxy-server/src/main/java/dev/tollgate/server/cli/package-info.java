/** Command line of the program {@code tollgate}: one class for each subcommand. */
@NullMarked
package dev.tollgate.server.cli;

import org.jspecify.annotations.NullMarked;
