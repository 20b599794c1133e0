package dev.tollgate.server.settings.yaml;

/**
 * Error or warning about one setting, with its location and message.
 *
 * @param path dotted path of the setting; empty for the file as a whole
 */
public record Problem(SourceLocation location, String path, String message) {
  @Override
  public String toString() {
    return location + ": " + (path.isEmpty() ? "" : path + ": ") + message;
  }
}
