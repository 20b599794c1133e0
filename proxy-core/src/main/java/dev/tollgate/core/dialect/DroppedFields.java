package dev.tollgate.core.dialect;

import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Collects the JSON paths of request fields that a provider does not get as the client sent them:
 * each path once, and a bounded number. Fields without an effect on the answer are not collected.
 */
public final class DroppedFields {
  private static final int PATHS_MAX = 16;
  private static final int PATH_CHARS_MAX = 100;

  /** Members that name or keep a request: its answer is the same without them. */
  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          "user",
          "safety_identifier",
          "metadata",
          "store",
          "prompt_cache_key",
          "prompt_cache_retention");

  private final List<String> paths = new ArrayList<>(0);
  private String last = "";
  private int more;

  /** Returns the list of these paths. */
  public static List<String> of(List<String> paths) {
    var dropped = new DroppedFields();
    paths.forEach(dropped::add);
    return dropped.paths();
  }

  public void add(String path) {
    String shown = path.length() <= PATH_CHARS_MAX ? path : path.substring(0, PATH_CHARS_MAX);
    if (WITHOUT_EFFECT.contains(shown) || shown.equals(last) || paths.contains(shown)) {
      return;
    }
    last = shown;
    if (paths.size() < PATHS_MAX) {
      paths.add(shown);
    } else {
      more++;
    }
  }

  public void add(Param path) {
    add(path.beginning(PATH_CHARS_MAX));
  }

  /**
   * Adds the paths of another collector.
   *
   * @param name returns the client's path for one of them
   */
  public void addAll(List<String> others, UnaryOperator<String> name) {
    for (String path : named(others)) {
      add(name.apply(path));
    }
    if (others.size() > PATHS_MAX) {
      more += Integer.parseInt(others.getLast().substring(1));
    }
  }

  /** Returns the paths; of more than 16 the last element is their number, such as {@code +3}. */
  public List<String> paths() {
    if (more == 0) {
      return paths;
    }
    List<String> all = new ArrayList<>(paths);
    all.add("+" + more);
    return all;
  }

  /** Returns the paths of such a list without the number of others. */
  public static List<String> named(List<String> paths) {
    return paths.size() > PATHS_MAX ? paths.subList(0, PATHS_MAX) : paths;
  }
}
