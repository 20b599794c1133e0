package dev.tollgate.core.dialect;

import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the JSON paths of request fields that are not sent to the provider: each path once, and
 * a bounded number.
 */
public final class DroppedFields {
  private static final int PATHS_MAX = 32;
  private static final int PATH_CHARS_MAX = 100;

  private final List<String> paths = new ArrayList<>(0);

  public void add(String path) {
    String shown = path.length() <= PATH_CHARS_MAX ? path : path.substring(0, PATH_CHARS_MAX);
    if (paths.size() < PATHS_MAX && !paths.contains(shown)) {
      paths.add(shown);
    }
  }

  public void add(Param path) {
    add(path.toString());
  }

  public List<String> paths() {
    return paths;
  }
}
