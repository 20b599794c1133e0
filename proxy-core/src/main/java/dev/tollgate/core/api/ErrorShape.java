package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;

/** Detector of error objects in a provider's reply, in the shapes that providers use. */
public final class ErrorShape {
  private ErrorShape() {}

  /**
   * True if an object is an error: it has an {@code error} that is not null; or the expected member
   * is missing, and the object is named an error or has an error's members at its root.
   *
   * @param expected the member that a successful reply has
   */
  public static boolean matches(JsonMembers root, String expected) {
    for (int i = root.indexOf("error"); i >= 0; i = root.indexOf("error", i + 1)) {
      if (root.kind(i) != JsonKind.NULL) {
        return true;
      }
    }
    if (root.indexOf(expected) >= 0) {
      return false;
    }
    return is(root, "object", "error")
        || is(root, "type", "error")
        || root.indexOf("detail") >= 0
        || (root.indexOf("message") >= 0 && root.indexOf("code") >= 0);
  }

  private static boolean is(JsonMembers root, String name, String text) {
    int i = root.indexOf(name);
    return i >= 0 && root.isString(i, text);
  }
}
