package dev.tollgate.server.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

/** Run of {@code tollgate check} in this process. */
public record CheckRun(int code, String out, String err) {
  /** Checks a configuration and connects to everything that it names. */
  public static CheckRun connect(Path config) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("check", "--config", config.toString(), "--connect");
    return new CheckRun(code, out.toString(), err.toString());
  }
}
