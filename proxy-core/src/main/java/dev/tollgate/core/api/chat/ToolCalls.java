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
 * and a provider omits. These are an integer index on every fragment, and an id and a type on the
 * first fragment of a call. Arguments that are no text become text. Complete fragments are
 * unchanged. The reader remembers the calls, so every fragment must be read once, in order.
 */
final class ToolCalls {
  private static final int INDEX_MAX = 1 << 12;

  private final ReplyStamp stamp;
  private final JsonElements calls = new JsonElements();
  private final JsonMembers call = new JsonMembers();
  private final JsonMembers function = new JsonMembers();
  private final BitSet seen = new BitSet(0);
  private final BitSet functions = new BitSet(0);
  private final BitSet withArguments = new BitSet(0);
  private String lastId = "";
  private long argumentBytes;
  private boolean isText;
  private boolean isFunction;
  private boolean hasArguments;

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

  /** Returns the fragments that were read last as they are. */
  JsonSplice unedited() {
    return JsonSplice.of(calls);
  }

  /** Returns the functions that got no arguments, by their index, for once. */
  int[] takeMissing() {
    functions.andNot(withArguments);
    int[] missing = functions.stream().toArray();
    functions.clear();
    return missing;
  }

  private void measure() {
    int definition = call.indexOf("function");
    isFunction = definition >= 0 && call.kind(definition) == JsonKind.OBJECT;
    isText = true;
    hasArguments = false;
    if (!isFunction) {
      return;
    }
    function.readInside(call, definition);
    int arguments = function.indexOf("arguments");
    if (arguments >= 0 && function.kind(arguments) != JsonKind.NULL) {
      isText = function.kind(arguments) == JsonKind.STRING;
      int sizeBytes = function.valueEnd(arguments) - function.valueStart(arguments);
      argumentBytes += isText ? sizeBytes - 2 : sizeBytes;
      hasArguments = !isText || !function.isEmptyString(arguments);
    }
  }

  private @Nullable JsonSplice repair(int k) {
    int given = call.indexOf("index");
    long reportedIndex = given < 0 ? -1 : call.integer(given, -1);
    boolean indexed = reportedIndex >= 0 && reportedIndex < INDEX_MAX;
    int index = indexed ? (int) reportedIndex : isNewCall() ? seen.length() : seen.length() - 1;
    boolean first = !seen.get(index);
    seen.set(index);
    functions.set(index, functions.get(index) || isFunction);
    withArguments.set(index, withArguments.get(index) || hasArguments);
    rememberId();
    boolean untyped = first && CallRepair.isBlank(call, "type");
    boolean unnamed = first && CallRepair.isBlank(call, "id");
    boolean isWritten = indexed && call.writtenInteger(given, -1) == index;
    if (isWritten && !untyped && !unnamed && isText) {
      return null;
    }
    JsonMembers members = calls.object(k);
    JsonSplice edits = JsonSplice.of(members);
    if (!isWritten) {
      CallRepair.put(edits, members, "index", JsonBytes.number(index));
    }
    if (unnamed) {
      CallRepair.put(edits, members, "id", JsonBytes.string(stamp.callId(index)));
    }
    if (untyped) {
      CallRepair.put(edits, members, "type", CallRepair.typeOf(members));
    }
    CallRepair.arguments(edits, members, null);
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
}
