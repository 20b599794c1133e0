package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonMembers;

/**
 * Validator that refuses JSON which PostgreSQL cannot store: {@code \u0000} or an unpaired
 * surrogate (docs/decisions/requests.md#stored-text).
 */
public final class StorableJson {
  static final String UNSTORABLE = "must not have a NUL or half of a surrogate pair";

  private static final int ESCAPE_LENGTH = 6;

  private StorableJson() {}

  /** Reports every member whose name or value cannot be stored. */
  public static void check(JsonMembers root, Issues issues) {
    for (int i = 0; i < root.size() && !issues.isFull(); i++) {
      boolean isFine =
          isStorable(root.bytes(), root.nameStart(i), root.nameEnd(i))
              && isStorable(root.bytes(), root.valueStart(i), root.valueEnd(i));
      if (!isFine) {
        issues.add(root.name(i), UNSTORABLE);
      }
    }
  }

  /** True if valid JSON in valid UTF-8 can be stored; only escapes can violate the rule. */
  static boolean isStorable(byte[] json, int from, int to) {
    for (int at = from; at < to; at++) {
      if (json[at] != '\\') {
        continue;
      }
      if (json[at + 1] != 'u') {
        at++;
        continue;
      }
      int unit = unit(json, at);
      if (unit == 0 || Character.isLowSurrogate((char) unit)) {
        return false;
      }
      at += ESCAPE_LENGTH - 1;
      if (Character.isHighSurrogate((char) unit)) {
        if (!isLowEscape(json, at + 1, to)) {
          return false;
        }
        at += ESCAPE_LENGTH;
      }
    }
    return true;
  }

  private static boolean isLowEscape(byte[] json, int at, int to) {
    return at + ESCAPE_LENGTH <= to
        && json[at] == '\\'
        && json[at + 1] == 'u'
        && Character.isLowSurrogate((char) unit(json, at));
  }

  private static int unit(byte[] json, int at) {
    int unit = 0;
    for (int k = at + 2; k < at + ESCAPE_LENGTH; k++) {
      unit = unit << 4 | Character.digit(json[k], 16);
    }
    return unit;
  }
}
