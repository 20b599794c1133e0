package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Repairs that SDKs need in a tool call, of a whole reply or of a stream: an id, a type, and
 * arguments that are text.
 */
final class CallRepair {
  private static final JsonBytes FUNCTION = JsonBytes.string("function");
  private static final JsonBytes CUSTOM = JsonBytes.string("custom");
  static final JsonBytes NO_ARGUMENTS = JsonBytes.string("{}");

  private CallRepair() {}

  /** Returns the repairs of a whole list of calls, or null if there are none. */
  static @Nullable JsonSplice ofWhole(JsonElements calls, ReplyStamp stamp) {
    if (calls.isCut()) {
      return null; // left unchanged
    }
    JsonSplice edits = null;
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) != JsonKind.OBJECT) {
        edits = (edits == null ? JsonSplice.of(calls) : edits).delete(k);
        continue;
      }
      JsonSplice repaired = ofWhole(calls.object(k), k, stamp);
      if (!repaired.isUnchanged()) {
        edits = (edits == null ? JsonSplice.of(calls) : edits).replace(k, repaired);
      }
    }
    return edits;
  }

  private static JsonSplice ofWhole(JsonMembers call, int position, ReplyStamp stamp) {
    JsonSplice edits = JsonSplice.of(call);
    if (isBlank(call, "id")) {
      put(edits, call, "id", JsonBytes.string(stamp.callId(position)));
    }
    if (isBlank(call, "type")) {
      put(edits, call, "type", typeOf(call));
    }
    arguments(edits, call, NO_ARGUMENTS);
    return edits;
  }

  static JsonBytes typeOf(JsonMembers call) {
    return call.indexOf("function") < 0 && call.indexOf("custom") >= 0 ? CUSTOM : FUNCTION;
  }

  /**
   * Adds the edits that make the arguments of a function text.
   *
   * @param ifEmpty the arguments of a function that has none; null leaves them out
   */
  static void arguments(JsonSplice callEdits, JsonMembers call, @Nullable JsonBytes ifEmpty) {
    int definition = call.indexOf("function");
    if (definition < 0 || call.kind(definition) != JsonKind.OBJECT) {
      return;
    }
    JsonSplice edits = argumentsOf(call.object(definition), ifEmpty);
    if (edits != null) {
      callEdits.replace(definition, edits);
    }
  }

  /**
   * Returns the edits that make the arguments of a function text; null if there are none.
   *
   * @param ifEmpty the arguments of a function that has none; null leaves them out
   */
  static @Nullable JsonSplice argumentsOf(JsonMembers function, @Nullable JsonBytes ifEmpty) {
    int i = function.indexOf("arguments");
    JsonBytes text =
        i < 0
            ? ifEmpty
            : switch (function.kind(i)) {
              case STRING -> function.isEmptyString(i) ? ifEmpty : null;
              case NULL -> ifEmpty;
              case OBJECT, ARRAY, NUMBER, TRUE, FALSE -> JsonBytes.string(function.text(i));
            };
    if (text == null) {
      return null;
    }
    JsonSplice edits = JsonSplice.of(function);
    return i < 0 ? edits.insertLast("arguments", text) : edits.replace(i, text);
  }

  /** True if a member is no text, or an empty one. */
  static boolean isBlank(JsonMembers call, String name) {
    int i = call.indexOf(name);
    return i < 0 || call.kind(i) != JsonKind.STRING || call.isEmptyString(i);
  }

  static void put(JsonSplice edits, JsonMembers members, String name, JsonBytes value) {
    int i = members.indexOf(name);
    if (i < 0) {
      edits.insertFirst(name, value);
    } else {
      edits.replace(i, value);
    }
  }
}
