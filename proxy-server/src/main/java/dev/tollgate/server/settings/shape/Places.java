package dev.tollgate.server.settings.shape;

import dev.tollgate.server.settings.yaml.Place;
import java.util.HashMap;
import java.util.Map;

/** Where each setting was written, by its path: lets later checks point at the line. */
public final class Places {
  private final Map<String, Place> byPath = new HashMap<>();

  void put(String path, Place place) {
    byPath.put(path, place);
  }

  /** Whether a setting was written, be its value good or not. */
  public boolean isWritten(String path) {
    return byPath.containsKey(path);
  }

  /** The place of a setting, or of the nearest section around it that was written. */
  public Place of(String path) {
    for (String at = path; !at.isEmpty(); at = outer(at)) {
      Place place = byPath.get(at);
      if (place != null) {
        return place;
      }
    }
    return byPath.getOrDefault("", new Place.BuiltIn());
  }

  private static String outer(String path) {
    return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
  }
}
