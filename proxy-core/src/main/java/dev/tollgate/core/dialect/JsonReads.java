package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;

/** Finds members that say something: not null, and of the kind that is meant. */
public final class JsonReads {
  private JsonReads() {}

  /** Where a member is that is not null; -1: nowhere. */
  public static int find(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) != JsonKind.NULL ? i : -1;
  }

  /** Where a member of this kind is; -1: nowhere. */
  public static int find(JsonMembers members, String name, JsonKind kind) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == kind ? i : -1;
  }

  /** Where a string is that is not empty; -1: nowhere. */
  public static int findText(JsonMembers members, String name) {
    int i = find(members, name, JsonKind.STRING);
    return i >= 0 && !members.isEmptyString(i) ? i : -1;
  }

  /** Whether a member is this string. */
  public static boolean isString(JsonMembers members, String name, String text) {
    int i = members.indexOf(name);
    return i >= 0 && members.isString(i, text);
  }

  /** Whether a list's value is an object or array without anything in it. */
  public static boolean isEmpty(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> items.object(i).size() == 0;
      case ARRAY -> items.array(i).size() == 0;
      case STRING, NUMBER, TRUE, FALSE, NULL -> false;
    };
  }
}
