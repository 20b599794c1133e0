/** The command line: what an operator types. */
@NullMarked
package dev.tollgate.server.cli;

import org.jspecify.annotations.NullMarked;
