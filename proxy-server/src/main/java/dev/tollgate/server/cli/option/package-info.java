/** Command line options that several subcommands share, and the formats of their values. */
@NullMarked
package dev.tollgate.server.cli.option;

import org.jspecify.annotations.NullMarked;
