package dev.tollgate.server.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Command line within this JVM, for tests that prepare or read a store by dozens of commands and do
 * not test the program: a process for each would take a second of CPU.
 */
public final class Verbs {
  private Verbs() {}

  /** Output and exit code of a command. */
  public record CommandResult(int exitCode, String out, String err) {}

  /** Runs a command to its end. */
  public static CommandResult run(String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exitCode =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new CommandResult(exitCode, out.toString(), err.toString());
  }
}
