package dev.tollgate.server.cli.output;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/** Printer of a progress line that is overwritten in place; prints nothing without a terminal. */
public final class ProgressLine implements AutoCloseable {
  private static final String ERASE = "\r\u001b[2K";

  private final PrintWriter out;
  private final boolean isTerminal;

  private ProgressLine(PrintWriter out, boolean isTerminal) {
    this.out = out;
    this.isTerminal = isTerminal;
  }

  public static ProgressLine on(PrintWriter err) {
    // The console is null without a provider, although the compiler assumes otherwise.
    boolean isTerminal =
        Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    return new ProgressLine(err, isTerminal);
  }

  public void show(String text) {
    if (isTerminal) {
      out.print(ERASE + text);
      out.flush();
    }
  }

  @Override
  public void close() {
    show("");
  }
}
