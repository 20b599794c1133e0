package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Repairs that SDKs need in the choices of a provider's whole reply, and the size of the choices'
 * content in bytes.
 *
 * @param edits null if nothing needs repair
 * @param contentBytes bytes of the messages, for the gateway's own count of the output
 */
public record ReplyChoices(@Nullable JsonSplice edits, long contentBytes) {
  // Azure omits the message if its filter ended the completion.
  private static final JsonBytes EMPTY_MESSAGE =
      JsonBytes.raw("{\"role\":\"assistant\",\"content\":null}");

  /** True if these are not the choices of a completion. */
  public static boolean areMalformed(JsonElements choices) {
    for (int k = 0; k < choices.size(); k++) {
      if (choices.kind(k) != JsonKind.OBJECT || !mayBeMessage(choices.object(k))) {
        return true;
      }
    }
    return choices.size() == 0 || choices.isCut();
  }

  private static boolean mayBeMessage(JsonMembers choice) {
    int message = choice.indexOf("message");
    return !choice.isCut()
        && (message < 0
            || choice.kind(message) == JsonKind.OBJECT
            || choice.kind(message) == JsonKind.NULL);
  }

  /** True if a finish reason is a failure of the provider. */
  public static boolean haveFailed(JsonElements choices) {
    for (int k = 0; k < choices.size(); k++) {
      JsonMembers choice = choices.object(k);
      int finish = choice.indexOf("finish_reason");
      if (finish >= 0 && FinishReason.isFailure(choice, finish)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads the choices of a reply.
   *
   * @param stamp the reply, of which calls without an id get one
   */
  public static ReplyChoices read(JsonElements choices, ReplyStamp stamp) {
    JsonSplice edits = null;
    long bytes = 0;
    for (int k = 0; k < choices.size(); k++) {
      JsonMembers choice = choices.object(k);
      int message = choice.indexOf("message");
      bytes += message < 0 ? 0 : choice.valueEnd(message) - choice.valueStart(message);
      JsonSplice repaired = repair(choice, k, stamp);
      if (!repaired.isUnchanged()) {
        edits = (edits == null ? JsonSplice.of(choices) : edits).replace(k, repaired);
      }
    }
    return new ReplyChoices(edits, bytes);
  }

  private static JsonSplice repair(JsonMembers choice, int position, ReplyStamp stamp) {
    JsonSplice edits = JsonSplice.of(choice);
    int index = choice.indexOf("index");
    if (index < 0) {
      edits.insertFirst("index", JsonBytes.number(position));
    } else if (choice.writtenInteger(index, -1) < 0) {
      long reported = choice.integer(index, -1);
      edits.replace(index, JsonBytes.number(reported < 0 ? position : reported));
    }
    int message = choice.indexOf("message");
    if (message < 0) {
      edits.insertLast("message", EMPTY_MESSAGE);
    } else if (choice.kind(message) == JsonKind.NULL) {
      edits.replace(message, EMPTY_MESSAGE);
    }
    int finish = choice.indexOf("finish_reason");
    if (message >= 0 && finish >= 0 && mayEndInCalls(choice, finish)) {
      nameCalls(choice, message, stamp, edits);
    }
    if (finish < 0) {
      edits.insertLast("finish_reason", FinishReason.STOP);
    } else if (!FinishReason.finishes(choice, finish)) {
      edits.replace(finish, FinishReason.STOP);
    } else {
      JsonBytes replacement = FinishReason.replacement(choice, finish);
      if (replacement != null) {
        edits.replace(finish, replacement);
      }
    }
    return edits;
  }

  /** False for the usual end of a text, so that its message is not read. */
  private static boolean mayEndInCalls(JsonMembers choice, int finish) {
    return choice.kind(finish) == JsonKind.STRING && !choice.isString(finish, "stop");
  }

  private static void nameCalls(
      JsonMembers choice, int message, ReplyStamp stamp, JsonSplice edits) {
    if (choice.kind(message) != JsonKind.OBJECT) {
      return;
    }
    JsonMembers members = choice.object(message);
    int calls = members.indexOf("tool_calls");
    JsonSplice named =
        calls >= 0 && members.kind(calls) == JsonKind.ARRAY
            ? named(members.array(calls), stamp)
            : null;
    if (named != null) {
      edits.replace(message, JsonSplice.of(members).replace(calls, named));
    }
  }

  /** Returns the calls with ids for those without one; null if all have one. */
  private static @Nullable JsonSplice named(JsonElements calls, ReplyStamp stamp) {
    JsonSplice edits = null;
    for (int k = 0; k < calls.size() && !calls.isCut(); k++) {
      JsonMembers call = calls.kind(k) == JsonKind.OBJECT ? calls.object(k) : new JsonMembers();
      int id = call.indexOf("id");
      boolean isNamed = id >= 0 && call.kind(id) == JsonKind.STRING && !call.isEmptyString(id);
      if (calls.kind(k) == JsonKind.OBJECT && !isNamed) {
        JsonBytes own = JsonBytes.string(stamp.callId(k));
        JsonSplice one = JsonSplice.of(call);
        edits = edits == null ? JsonSplice.of(calls) : edits;
        edits.replace(k, id < 0 ? one.insertFirst("id", own) : one.replace(id, own));
      }
    }
    return edits;
  }
}
