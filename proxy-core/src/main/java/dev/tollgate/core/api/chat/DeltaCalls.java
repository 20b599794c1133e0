package dev.tollgate.core.api.chat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.json.JsonValue;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the calls in the deltas of a chat stream, in the present form and in the older one of
 * one function. With the finish, functions that never got arguments get an empty object as theirs,
 * because clients parse what they collected.
 */
final class DeltaCalls {
  private static final String CALLS = "tool_calls";
  private static final String FUNCTION = "function_call";
  private static final JsonBytes ONLY_ARGUMENTS = JsonBytes.raw("{\"arguments\":\"{}\"}");
  private static final byte[] NO_DELTA = "{}".getBytes(US_ASCII);

  private final ToolCalls tools;
  private boolean isFunction;
  private boolean hasFunctionArguments;
  private boolean isLast;
  private int callsAt = -1;
  private int functionAt = -1;
  private @Nullable JsonValue callEdits;
  private @Nullable JsonValue functionEdits;

  DeltaCalls(ReplyStamp stamp) {
    tools = new ToolCalls(stamp);
  }

  /**
   * Begins a delta.
   *
   * @param last true if it is the one with the finish
   */
  void begin(boolean last) {
    isLast = last;
    callsAt = -1;
    functionAt = -1;
    callEdits = null;
    functionEdits = null;
  }

  /** Reads a member of the delta. Returns the bytes of arguments of calls in it. */
  long read(JsonMembers delta, int i) {
    if (callsAt < 0 && delta.kind(i) == JsonKind.ARRAY && delta.isName(i, CALLS)) {
      callsAt = i;
      callEdits = tools.read(delta, i);
      return tools.argumentBytes();
    }
    if (functionAt < 0 && delta.kind(i) == JsonKind.OBJECT && delta.isName(i, FUNCTION)) {
      functionAt = i;
      tools.readOlder(delta, i);
      function(delta.object(i));
    }
    return 0;
  }

  private void function(JsonMembers function) {
    isFunction |= !CallRepair.isBlank(function, "name");
    boolean needsArguments = isLast && isFunction && !hasFunctionArguments;
    functionEdits =
        CallRepair.argumentsOf(function, needsArguments ? CallRepair.NO_ARGUMENTS : null);
    hasFunctionArguments |= functionEdits != null || !CallRepair.isBlank(function, "arguments");
  }

  /** True if the arguments of a call in the deltas so far are incomplete. */
  boolean areIncomplete() {
    return tools.areIncomplete();
  }

  /** Ends a delta, and with the last one all calls. */
  void end() {
    if (isLast) {
      endCalls();
    }
  }

  private void endCalls() {
    List<Integer> missing = tools.takeMissing();
    if (!missing.isEmpty() && callsAt < 0) {
      callEdits =
          JsonBytes.raw(
              missing.stream()
                  .map(DeltaCalls::fragment)
                  .collect(Collectors.joining(",", "[", "]")));
    } else if (!missing.isEmpty()) {
      JsonSplice fragments = callEdits instanceof JsonSplice repaired ? repaired : tools.unedited();
      missing.forEach(k -> fragments.insertLast(JsonBytes.raw(fragment(k))));
      callEdits = fragments;
    }
    if (isFunction && !hasFunctionArguments) {
      hasFunctionArguments = true;
      functionEdits = ONLY_ARGUMENTS;
    }
  }

  private static String fragment(int index) {
    return "{\"index\":" + index + ",\"function\":" + ONLY_ARGUMENTS + "}";
  }

  /** Returns edits of the delta with those of its calls; null if there are none. */
  @Nullable JsonSplice edits(JsonMembers delta, @Nullable JsonSplice others) {
    JsonSplice edits = edit(delta, others, callsAt, CALLS, callEdits);
    return edit(delta, edits, functionAt, FUNCTION, functionEdits);
  }

  private static @Nullable JsonSplice edit(
      JsonMembers delta, @Nullable JsonSplice others, int at, String name, @Nullable JsonValue by) {
    if (by == null) {
      return others;
    }
    JsonSplice edits = others == null ? JsonSplice.of(delta) : others;
    return at < 0 ? edits.insertLast(name, by) : edits.replace(at, by);
  }

  /** Returns the delta of a choice that has none; null if nothing is missing. */
  @Nullable JsonSplice alone() {
    return edits(JsonMembers.ofKept(NO_DELTA), null);
  }
}
