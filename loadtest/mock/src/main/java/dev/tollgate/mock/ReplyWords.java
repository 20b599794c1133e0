package dev.tollgate.mock;

/**
 * Words of a reply: each with its leading space (the first has none), escaped for JSON, one byte
 * per character.
 */
@FunctionalInterface
interface ReplyWords {
  String word(int n);

  /** Returns the first {@code count} words. */
  default String text(int count) {
    StringBuilder text = new StringBuilder();
    for (int n = 0; n < count; n++) {
      text.append(word(n));
    }
    return text.toString();
  }
}
