/** Subcommands that call the admin listener of a running gateway. */
@NullMarked
package dev.tollgate.server.cli.gateway;

import org.jspecify.annotations.NullMarked;
