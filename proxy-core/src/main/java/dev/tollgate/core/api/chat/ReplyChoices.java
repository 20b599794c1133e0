package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.FinishReason;
import dev.tollgate.core.api.ReplyStamp;
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
 * @param firstEdits edits of the first choice alone; null if it needs none
 * @param contentBytes bytes of the messages, for the gateway's own count of the output
 */
record ReplyChoices(
    @Nullable JsonSplice edits, @Nullable JsonSplice firstEdits, long contentBytes) {
  // Azure omits the message if its filter ended the completion.
  private static final JsonBytes EMPTY_MESSAGE =
      JsonBytes.raw("{\"role\":\"assistant\",\"content\":null}");

  /** Result of reading an array of choices. */
  sealed interface Result {
    record Fine(ReplyChoices choices) implements Result {}

    /** Not the choices of a completion. */
    record Malformed() implements Result {}

    /** A finish reason is a failure of the provider. */
    record Failed() implements Result {}
  }

  /** Reads each choice once: a malformed one counts more than a failed one. */
  static Result read(JsonElements choices, ReplyStamp stamp) {
    if (choices.size() == 0 || choices.isCut()) {
      return new Result.Malformed();
    }
    JsonSplice edits = null;
    JsonSplice firstEdits = null;
    long bytes = 0;
    boolean failed = false;
    for (int k = 0; k < choices.size(); k++) {
      if (choices.kind(k) != JsonKind.OBJECT) {
        return new Result.Malformed();
      }
      JsonMembers choice = choices.object(k);
      int message = choice.indexOf("message");
      if (choice.isCut() || (message >= 0 && !mayBeMessage(choice.kind(message)))) {
        return new Result.Malformed();
      }
      int finish = choice.indexOf("finish_reason");
      failed |= finish >= 0 && FinishReason.isFailure(choice, finish);
      if (failed) {
        continue;
      }
      bytes += message < 0 ? 0 : choice.valueEnd(message) - choice.valueStart(message);
      JsonSplice repaired = repair(choice, k, message, finish, stamp);
      if (!repaired.isUnchanged()) {
        edits = (edits == null ? JsonSplice.of(choices) : edits).replace(k, repaired);
        firstEdits = k == 0 ? repaired : firstEdits;
      }
    }
    return failed
        ? new Result.Failed()
        : new Result.Fine(new ReplyChoices(edits, firstEdits, bytes));
  }

  private static boolean mayBeMessage(JsonKind kind) {
    return kind == JsonKind.OBJECT || kind == JsonKind.NULL;
  }

  private static JsonSplice repair(
      JsonMembers choice, int position, int message, int finish, ReplyStamp stamp) {
    JsonSplice edits = JsonSplice.of(choice);
    int index = choice.indexOf("index");
    if (index < 0) {
      edits.insertFirst("index", JsonBytes.number(position));
    } else if (choice.writtenInteger(index, -1) < 0) {
      long reported = choice.integer(index, -1);
      edits.replace(index, JsonBytes.number(reported < 0 ? position : reported));
    }
    if (message < 0) {
      edits.insertLast("message", EMPTY_MESSAGE);
    } else if (choice.kind(message) == JsonKind.NULL) {
      edits.replace(message, EMPTY_MESSAGE);
    } else {
      repairCalls(edits, choice, message, stamp);
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

  private static void repairCalls(JsonSplice edits, JsonMembers choice, int at, ReplyStamp stamp) {
    JsonMembers message = choice.object(at);
    JsonSplice inside = JsonSplice.of(message);
    int calls = message.indexOf("tool_calls");
    if (calls >= 0 && message.kind(calls) == JsonKind.ARRAY) {
      JsonSplice repaired = CallRepair.ofWhole(message.array(calls), stamp);
      if (repaired != null) {
        inside.replace(calls, repaired);
      }
    }
    int function = message.indexOf("function_call"); // the older form
    if (function >= 0 && message.kind(function) == JsonKind.OBJECT) {
      JsonSplice repaired =
          CallRepair.argumentsOf(message.object(function), CallRepair.NO_ARGUMENTS);
      if (repaired != null) {
        inside.replace(function, repaired);
      }
    }
    if (!inside.isUnchanged()) {
      edits.replace(at, inside);
    }
  }
}
