package dev.tollgate.server.settings.yaml;

/** Location of a value, as shown in problems. */
public sealed interface SourceLocation {

  /** Line and column count from 1. */
  record InFile(String file, int line, int column) implements SourceLocation {
    @Override
    public String toString() {
      return file + ":" + line + ":" + column;
    }
  }

  /** Environment variable such as {@code TOLLGATE_STORE__URL}. */
  record InEnvironment(String variable) implements SourceLocation {
    @Override
    public String toString() {
      return "environment variable " + variable;
    }
  }

  /** Option {@code --set}. */
  record OnCommandLine(String key) implements SourceLocation {
    @Override
    public String toString() {
      return "--set " + key;
    }
  }

  /** Default of Tollgate. */
  record BuiltIn() implements SourceLocation {
    @Override
    public String toString() {
      return "default";
    }
  }
}
