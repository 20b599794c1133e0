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
    if (slash <= 0 || slash == text.length() - 1 || text.length() > LENGTH_MAX) {
      return Optional.empty();
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\') {
        return Optional.empty();
      }
    }
    return Optional.of(new ModelId(text.substring(0, slash), text.substring(slash + 1)));
  }

  @Override
  public String toString() {
    return vendor + "/" + name;
  }
}
