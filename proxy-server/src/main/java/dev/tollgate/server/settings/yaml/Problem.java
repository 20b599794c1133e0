package dev.tollgate.server.settings.yaml;

/**
 * Problem of a configuration.
 *
 * @param path dotted path of the setting; empty for the file as a whole
 */
public record Problem(SourceLocation location, String path, String message) {
  @Override
  public String toString() {
    return location + ": " + (path.isEmpty() ? "" : path + ": ") + message;
  }
}
