package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.SourceLocation;
import java.util.HashMap;
import java.util.Map;

/**
 * Map from the path of each setting to its location in file, environment or command line, for error
 * messages.
 */
public final class SourceLocations {
  private final Map<String, SourceLocation> byPath = new HashMap<>();

  void put(String path, SourceLocation location) {
    byPath.put(path, location);
  }

  /** Returns the location of a setting, or of the nearest section around it that was written. */
  public SourceLocation of(String path) {
    for (String at = path; !at.isEmpty(); at = outer(at)) {
      SourceLocation location = byPath.get(at);
      if (location != null) {
        return location;
      }
    }
    return byPath.getOrDefault("", new SourceLocation.BuiltIn());
  }

  private static String outer(String path) {
    return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
  }
}
