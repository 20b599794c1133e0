package dev.tollgate.server.settings.yaml;

/**
 * One thing that is wrong with a configuration.
 *
 * @param path dotted path of the setting; empty where the file as a whole is meant
 */
public record Problem(SourceLocation location, String path, String message) {
  @Override
  public String toString() {
    return location + ": " + (path.isEmpty() ? "" : path + ": ") + message;
  }
}
