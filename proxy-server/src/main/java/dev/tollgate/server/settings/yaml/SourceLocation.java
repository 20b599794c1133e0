package dev.tollgate.server.settings.yaml;

/**
 * Source of a setting, as shown in problems: file position, environment variable, option or
 * default.
 */
public sealed interface SourceLocation {

  /** Position in a file; line and column count from 1. */
  record InFile(String file, int line, int column) implements SourceLocation {
    @Override
    public String toString() {
      return file + ":" + line + ":" + column;
    }
  }

  /** File as a whole. */
  record OfFile(String file) implements SourceLocation {
    @Override
    public String toString() {
      return file;
    }
  }

  /** Environment variable such as {@code TOLLGATE_STORE__URL}. */
  record InEnvironment(String variable) implements SourceLocation {
    @Override
    public String toString() {
      return "environment variable " + variable;
    }
  }

  /** Option {@code --set} of the command line. */
  record OnCommandLine(String key) implements SourceLocation {
    @Override
    public String toString() {
      return "--set " + key;
    }
  }

  /** Built-in default of Tollgate. */
  record BuiltIn() implements SourceLocation {
    @Override
    public String toString() {
      return "default";
    }
  }
}
