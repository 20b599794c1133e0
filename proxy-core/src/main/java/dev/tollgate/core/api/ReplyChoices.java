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

  public static ReplyChoices read(JsonElements choices) {
    JsonSplice edits = null;
    long bytes = 0;
    for (int k = 0; k < choices.size(); k++) {
      JsonMembers choice = choices.object(k);
      int message = choice.indexOf("message");
      bytes += message < 0 ? 0 : choice.valueEnd(message) - choice.valueStart(message);
      JsonSplice repaired = repair(choice, k);
      if (!repaired.isUnchanged()) {
        edits = (edits == null ? JsonSplice.of(choices) : edits).replace(k, repaired);
      }
    }
    return new ReplyChoices(edits, bytes);
  }

  private static JsonSplice repair(JsonMembers choice, int position) {
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
}
