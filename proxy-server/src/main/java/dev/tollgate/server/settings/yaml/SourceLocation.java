package dev.tollgate.server.settings.yaml;

/** Where a value was written: what a problem points at. */
public sealed interface SourceLocation {

  /** Line and column count from 1. */
  record InFile(String file, int line, int column) implements SourceLocation {
    @Override
    public String toString() {
      return file + ":" + line + ":" + column;
    }
  }

  /** A variable such as {@code TOLLGATE_STORE__URL}. */
  record InEnvironment(String variable) implements SourceLocation {
    @Override
    public String toString() {
      return "environment variable " + variable;
    }
  }

  /** A {@code --set} option. */
  record OnCommandLine(String key) implements SourceLocation {
    @Override
    public String toString() {
      return "--set " + key;
    }
  }

  /** A default of ours. */
  record BuiltIn() implements SourceLocation {
    @Override
    public String toString() {
      return "default";
    }
  }
}
