package dev.tollgate.core.id;

import java.util.Optional;

/**
 * Public name of a model, {@code <vendor>/<name>}, in visible ASCII only
 * (docs/decisions/requests.md#bodies).
 */
public record ModelId(String vendor, String name) {
  private static final int LENGTH_MAX = 256;

  /** Returns the id in {@code text}; empty if it is not of the form {@code <vendor>/<name>}. */
  public static Optional<ModelId> parse(String text) {
    int slash = text.indexOf('/');
    return slash < 0 || !isName(text)
        ? Optional.empty()
        : Optional.of(new ModelId(text.substring(0, slash), text.substring(slash + 1)));
  }

  /**
   * True if a request can name a model by {@code text}: by an id or by a shorter name, with no
   * empty part beside a slash.
   */
  public static boolean isName(String text) {
    if (text.isEmpty() || text.length() > LENGTH_MAX) {
      return false;
    }
    char before = '/';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || (c == '/' && before == '/')) {
        return false;
      }
      before = c;
    }
    return before != '/';
  }

  @Override
  public String toString() {
    return vendor + "/" + name;
  }
}
