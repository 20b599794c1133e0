package dev.tollgate.server.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/** One line on a terminal that is written over and over; nothing where there is no terminal. */
final class ProgressLine implements AutoCloseable {
  private static final String ERASE = "\r\u001b[2K";

  private final PrintWriter out;
  private final boolean isTerminal;

  private ProgressLine(PrintWriter out, boolean isTerminal) {
    this.out = out;
    this.isTerminal = isTerminal;
  }

  static ProgressLine on(PrintWriter err) {
    // None at all where the console is provided by nobody, whatever the compiler believes.
    boolean isTerminal =
        Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    return new ProgressLine(err, isTerminal);
  }

  void show(String text) {
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
