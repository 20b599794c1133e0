package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Adds what SDK helpers need of streamed tool calls where a provider leaves it out: an integer
 * index on every fragment and {@code "type":"function"} on the first. Fragments that have both are
 * left untouched.
 */
final class ToolCallRepair {
  private static final JsonBytes FUNCTION = JsonBytes.string("function");

  private int callsSeen;
  private String lastId = "";

  /** Edits for an array of tool call fragments, or null where it is fine. */
  @Nullable JsonSplice repair(JsonItems delta, int toolCalls) {
    JsonElements calls = delta.array(toolCalls);
    JsonSplice edits = null;
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) != JsonKind.OBJECT) {
        continue;
      }
      JsonSplice edited = repairOne(calls.object(k));
      if (edited != null) {
        edits = edits == null ? JsonSplice.of(calls) : edits;
        edits.replace(k, edited);
      }
    }
    return edits;
  }

  private @Nullable JsonSplice repairOne(JsonMembers call) {
    boolean first = isFirst(call) && isNewId(call);
    int index = call.indexOf("index");
    if (index >= 0 && call.kind(index) == JsonKind.NUMBER) {
      callsSeen = (int) Math.max(callsSeen, call.integer(index, 0) + 1);
      return first && !hasType(call) ? withType(JsonSplice.of(call), call) : null;
    }
    callsSeen += first || callsSeen == 0 ? 1 : 0;
    JsonSplice edits = JsonSplice.of(call);
    JsonBytes number = JsonBytes.number(callsSeen - 1L);
    if (index >= 0) {
      edits.replace(index, number);
    } else {
      edits.insertFirst("index", number);
    }
    return first && !hasType(call) ? withType(edits, call) : edits;
  }

  private static boolean isFirst(JsonMembers call) {
    int id = call.indexOf("id");
    if (id >= 0 && call.kind(id) == JsonKind.STRING && !call.isEmptyString(id)) {
      return true;
    }
    int function = call.indexOf("function");
    if (function < 0 || call.kind(function) != JsonKind.OBJECT) {
      return false;
    }
    JsonMembers definition = call.object(function);
    int name = definition.indexOf("name");
    return name >= 0 && definition.kind(name) == JsonKind.STRING && !definition.isEmptyString(name);
  }

  // Some providers repeat the id on every fragment of a call.
  private boolean isNewId(JsonMembers call) {
    int i = call.indexOf("id");
    if (i < 0 || call.kind(i) != JsonKind.STRING || call.isEmptyString(i)) {
      return true;
    }
    String id = call.string(i);
    boolean isNew = !id.equals(lastId);
    lastId = id;
    return isNew;
  }

  private static boolean hasType(JsonMembers call) {
    int type = call.indexOf("type");
    return type >= 0 && call.kind(type) == JsonKind.STRING && !call.isEmptyString(type);
  }

  private static JsonSplice withType(JsonSplice edits, JsonMembers call) {
    int type = call.indexOf("type");
    return type >= 0 ? edits.replace(type, FUNCTION) : edits.insertLast("type", FUNCTION);
  }
}
