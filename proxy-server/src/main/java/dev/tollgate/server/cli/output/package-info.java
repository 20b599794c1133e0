/** Output of subcommands: rows as a table or for programs, and lines of progress. */
@NullMarked
package dev.tollgate.server.cli.output;

import org.jspecify.annotations.NullMarked;
