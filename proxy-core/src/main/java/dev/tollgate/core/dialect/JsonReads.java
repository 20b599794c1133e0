package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Reads optional members of JSON objects; null values and values of an unexpected kind count as
 * absent.
 */
public final class JsonReads {
  private JsonReads() {}

  /** Returns the index of a member that is not null; -1 means there is none. */
  public static int find(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) != JsonKind.NULL ? i : -1;
  }

  /** Returns the index of a member of this kind; -1 means there is none. */
  public static int find(JsonMembers members, String name, JsonKind kind) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == kind ? i : -1;
  }

  /** Returns the index of a string that is not empty; -1 means there is none. */
  public static int findText(JsonMembers members, String name) {
    int i = find(members, name, JsonKind.STRING);
    return i >= 0 && !members.isEmptyString(i) ? i : -1;
  }

  /** Returns a member that is an object; empty if there is none. */
  public static JsonMembers object(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i < 0 ? new JsonMembers() : object(members, i);
  }

  /** Returns an item if it is an object; empty if it is of another kind. */
  public static JsonMembers object(JsonItems items, int i) {
    return items.kind(i) == JsonKind.OBJECT ? items.object(i) : new JsonMembers();
  }

  /** Returns a member that is an array; empty if there is none. */
  public static JsonElements array(JsonMembers members, String name) {
    int i = find(members, name, JsonKind.ARRAY);
    return i < 0 ? new JsonElements() : members.array(i);
  }

  /** Copies a string that is not empty, under another name. */
  public static void copyText(JsonMembers members, String name, String as, JsonWriter out) {
    int i = findText(members, name);
    if (i >= 0) {
      out.name(as).raw(JsonBytes.of(members, i));
    }
  }

  /** True if a member is this string. */
  public static boolean isString(JsonMembers members, String name, String text) {
    int i = members.indexOf(name);
    return i >= 0 && members.isString(i, text);
  }

  /** True if an item is an object or array without items. */
  public static boolean isEmpty(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> items.object(i).size() == 0;
      case ARRAY -> items.array(i).size() == 0;
      case STRING, NUMBER, TRUE, FALSE, NULL -> false;
    };
  }
}
