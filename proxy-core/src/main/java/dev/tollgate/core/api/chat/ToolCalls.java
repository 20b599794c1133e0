package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the tool call fragments in a chat stream, which adds the members that SDK helpers need
 * and a provider omits. These are an integer index on every fragment, and an id and {@code
 * "type":"function"} on the first fragment of a call. Complete fragments are unchanged. The reader
 * remembers the calls, so every fragment must be read once, in order.
 */
final class ToolCalls {
  private static final JsonBytes FUNCTION = JsonBytes.string("function");
  private static final int INDEX_MAX = 1 << 12;

  private final ReplyStamp stamp;
  private final JsonElements calls = new JsonElements();
  private final JsonMembers call = new JsonMembers();
  private final JsonMembers function = new JsonMembers();
  private final BitSet seen = new BitSet(0);
  private String lastId = "";
  private long argumentBytes;

  ToolCalls(ReplyStamp stamp) {
    this.stamp = stamp;
  }

  /** Reads an array of fragments. Returns the repairs, or null if there are none. */
  @Nullable JsonSplice read(JsonItems delta, int toolCalls) {
    argumentBytes = 0;
    calls.readInside(delta, toolCalls);
    if (calls.isCut()) {
      return null; // left unchanged
    }
    JsonSplice edits = null;
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) != JsonKind.OBJECT) {
        edits = (edits == null ? JsonSplice.of(calls) : edits).delete(k);
        continue;
      }
      call.readInside(calls, k);
      measure();
      JsonSplice repaired = repair(k);
      if (repaired != null) {
        edits = (edits == null ? JsonSplice.of(calls) : edits).replace(k, repaired);
      }
    }
    return edits;
  }

  /** Returns the bytes of arguments in the fragments that were read last. */
  long argumentBytes() {
    return argumentBytes;
  }

  private void measure() {
    int definition = call.indexOf("function");
    if (definition < 0 || call.kind(definition) != JsonKind.OBJECT) {
      return;
    }
    function.readInside(call, definition);
    int arguments = function.indexOf("arguments");
    if (arguments >= 0 && function.kind(arguments) == JsonKind.STRING) {
      argumentBytes += function.valueEnd(arguments) - function.valueStart(arguments) - 2;
    }
  }

  private @Nullable JsonSplice repair(int k) {
    int given = call.indexOf("index");
    long reportedIndex = given < 0 ? -1 : call.integer(given, -1);
    boolean indexed = reportedIndex >= 0 && reportedIndex < INDEX_MAX;
    int index = indexed ? (int) reportedIndex : isNewCall() ? seen.length() : seen.length() - 1;
    boolean first = !seen.get(index);
    seen.set(index);
    rememberId();
    boolean untyped = first && isBlank("type");
    boolean unnamed = first && isBlank("id");
    boolean isWritten = indexed && call.writtenInteger(given, -1) == index;
    if (isWritten && !untyped && !unnamed) {
      return null;
    }
    JsonMembers members = calls.object(k);
    JsonSplice edits = JsonSplice.of(members);
    if (!isWritten) {
      put(edits, members, "index", JsonBytes.number(index));
    }
    if (unnamed) {
      put(edits, members, "id", JsonBytes.string(stamp.callId(index)));
    }
    if (untyped) {
      put(edits, members, "type", FUNCTION);
    }
    return edits;
  }

  /** True if a fragment without index begins a call: it has a new id, or a name but no id. */
  private boolean isNewCall() {
    int id = call.indexOf("id");
    if (id >= 0 && call.kind(id) == JsonKind.STRING && !call.isEmptyString(id)) {
      return seen.isEmpty() || !call.isString(id, lastId);
    }
    return seen.isEmpty() || hasName();
  }

  private boolean hasName() {
    int definition = call.indexOf("function");
    if (definition < 0 || call.kind(definition) != JsonKind.OBJECT) {
      return false;
    }
    int name = function.indexOf("name");
    return name >= 0 && function.kind(name) == JsonKind.STRING && !function.isEmptyString(name);
  }

  private void rememberId() {
    int id = call.indexOf("id");
    if (id >= 0 && call.kind(id) == JsonKind.STRING && !call.isString(id, lastId)) {
      lastId = call.string(id);
    }
  }

  private boolean isBlank(String name) {
    int i = call.indexOf(name);
    return i < 0 || call.kind(i) != JsonKind.STRING || call.isEmptyString(i);
  }

  private static void put(JsonSplice edits, JsonMembers members, String name, JsonBytes value) {
    int i = members.indexOf(name);
    if (i < 0) {
      edits.insertFirst(name, value);
    } else {
      edits.replace(i, value);
    }
  }
}
