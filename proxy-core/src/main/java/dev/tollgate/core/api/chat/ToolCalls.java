package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonCompleteness;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the tool call fragments in a chat stream, which adds the members that SDK helpers need
 * and a provider omits. These are an integer index on every fragment, and an id and a type on the
 * first fragment of a call. Arguments that are no text become text. Complete fragments are
 * unchanged. The reader remembers the calls, so every fragment must be read once, in order.
 */
final class ToolCalls {
  private static final int INDEX_MAX = 1 << 12;

  /** Key of the one call of the older form, which has no index. */
  private static final int OLDER = -1;

  private final ReplyStamp stamp;
  private final JsonElements calls = new JsonElements();
  private final JsonMembers call = new JsonMembers();
  private final JsonMembers function = new JsonMembers();
  private final BitSet seen = new BitSet(0);

  /** Arguments of the functions that are called, by the call's index. */
  private Map<Integer, JsonCompleteness> arguments = Map.of();

  private String lastId = "";
  private long argumentBytes;
  private boolean isText;

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
  List<Integer> takeMissing() {
    if (arguments.isEmpty()) {
      return List.of();
    }
    List<Integer> missing = new ArrayList<>(0);
    arguments.forEach(
        (index, text) -> {
          if (index != OLDER && !text.isBegun()) {
            missing.add(index);
            text.readWhole();
          }
        });
    missing.sort(null);
    return missing;
  }

  /** Reads a call of the older form, {@code function_call}. */
  void readOlder(JsonItems delta, int functionCall) {
    function.readInside(delta, functionCall);
    takeArguments(OLDER);
  }

  /** True if the arguments of a function have begun and are not complete. */
  boolean areIncomplete() {
    return arguments.values().stream().anyMatch(text -> text.isBegun() && !text.isComplete());
  }

  private void takeArguments(int index) {
    if (arguments.isEmpty()) {
      arguments = new HashMap<>();
    }
    JsonCompleteness text = arguments.computeIfAbsent(index, _ -> new JsonCompleteness());
    int i = function.indexOf("arguments");
    if (i >= 0 && function.kind(i) == JsonKind.STRING) {
      text.read(function.chars(i));
    } else if (i >= 0 && function.kind(i) != JsonKind.NULL) {
      text.readWhole();
    }
  }

  private void measure() {
    isText = true;
    if (!isFunction()) {
      return;
    }
    function.readInside(call, call.indexOf("function"));
    int i = function.indexOf("arguments");
    if (i >= 0 && function.kind(i) != JsonKind.NULL) {
      isText = function.kind(i) == JsonKind.STRING;
      int sizeBytes = function.valueEnd(i) - function.valueStart(i);
      argumentBytes += isText ? sizeBytes - 2 : sizeBytes;
    }
  }

  private boolean isFunction() {
    int definition = call.indexOf("function");
    return definition >= 0 && call.kind(definition) == JsonKind.OBJECT;
  }

  private @Nullable JsonSplice repair(int k) {
    int given = call.indexOf("index");
    long reportedIndex = given < 0 ? -1 : call.integer(given, -1);
    boolean indexed = reportedIndex >= 0 && reportedIndex < INDEX_MAX;
    int index = indexed ? (int) reportedIndex : isNewCall() ? seen.length() : seen.length() - 1;
    boolean first = !seen.get(index);
    seen.set(index);
    rememberId();
    if (isFunction()) {
      takeArguments(index);
    }
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
    if (!isFunction()) {
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
