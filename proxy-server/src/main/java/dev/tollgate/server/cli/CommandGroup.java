package dev.tollgate.server.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Base class of CLI commands that only group subcommands; calling one without a subcommand is a
 * usage error.
 */
abstract class CommandGroup implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public final void run() {
    throw missing(Objects.requireNonNull(spec));
  }

  /** Returns the error of a call without a subcommand. */
  static ParameterException missing(CommandSpec group) {
    return new ParameterException(
        group.commandLine(),
        "missing subcommand: one of " + String.join(", ", group.subcommands().keySet()));
  }
}
