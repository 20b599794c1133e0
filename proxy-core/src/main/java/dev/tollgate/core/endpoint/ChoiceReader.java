package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Reads the choices of one chunk: which one is ours, whether it carries content, and what must be
 * repaired in it for SDK helpers. Reused for every chunk of a stream.
 */
final class ChoiceReader {
  private static final JsonBytes EMPTY_OBJECT = JsonBytes.raw("{}");
  private static final JsonBytes EMPTY_STRING = JsonBytes.string("");
  private static final JsonBytes ZERO = JsonBytes.number(0);

  private final ToolCallRepair tools = new ToolCallRepair();
  private final JsonMembers choice = new JsonMembers();
  private final JsonMembers delta = new JsonMembers();
  private JsonElements elements = new JsonElements();
  private int ours;
  private int deltaAt;
  private int finishAt;
  private boolean emptyDelta;
  private long contentBytes;

  /** What the choices are. */
  enum Verdict {
    FINE,
    /** Not of a chunk's shape. */
    BAD,
    /** Only choices beyond the one that was asked for. */
    OTHER_INDEX,
    /** The finish reason says that the provider failed. */
    FAILED
  }

  Verdict read(JsonElements choices) {
    elements = choices;
    ours = -1;
    for (int k = 0; k < choices.size(); k++) {
      if (choices.kind(k) != JsonKind.OBJECT) {
        return Verdict.BAD;
      }
      if (ours < 0 && isFirstChoice(choices, k)) {
        ours = k;
      }
    }
    if (ours < 0) {
      return Verdict.OTHER_INDEX;
    }
    choice.readInside(choices, ours);
    return readChoice();
  }

  private boolean isFirstChoice(JsonElements choices, int k) {
    choice.readInside(choices, k);
    int index = choice.indexOf("index");
    return index < 0 || choice.kind(index) != JsonKind.NUMBER || choice.integer(index, 0) == 0;
  }

  private Verdict readChoice() {
    deltaAt = choice.indexOf("delta");
    finishAt = choice.indexOf("finish_reason");
    emptyDelta = true;
    contentBytes = 0;
    if (finishAt >= 0 && !isStringOrNull(finishAt)) {
      return Verdict.BAD;
    }
    if (finishes() && FinishReason.isFailure(choice, finishAt)) {
      return Verdict.FAILED;
    }
    if (deltaAt < 0 || choice.kind(deltaAt) == JsonKind.NULL) {
      return Verdict.FINE;
    }
    if (choice.kind(deltaAt) != JsonKind.OBJECT) {
      return Verdict.BAD;
    }
    delta.readInside(choice, deltaAt);
    measure();
    return Verdict.FINE;
  }

  private boolean isStringOrNull(int i) {
    JsonKind kind = choice.kind(i);
    return kind == JsonKind.STRING || kind == JsonKind.NULL;
  }

  private void measure() {
    for (int i = 0; i < delta.size(); i++) {
      if (!delta.isName(i, "role") && !isNothing(i)) {
        emptyDelta = false;
        contentBytes += delta.valueEnd(i) - delta.valueStart(i) - 2;
      }
    }
  }

  private boolean isNothing(int i) {
    return switch (delta.kind(i)) {
      case NULL -> true;
      case STRING -> delta.isEmptyString(i);
      case ARRAY, OBJECT -> delta.valueEnd(i) - delta.valueStart(i) == 2;
      case NUMBER, TRUE, FALSE -> delta.isName(i, "token_id");
    };
  }

  /** Whether the delta carries nothing but perhaps a role. */
  boolean isEmptyDelta() {
    return emptyDelta;
  }

  /** Bytes of the delta's content, roughly: the values without their quotes. */
  long contentBytes() {
    return contentBytes;
  }

  boolean finishes() {
    return finishAt >= 0
        && choice.kind(finishAt) == JsonKind.STRING
        && !choice.isEmptyString(finishAt);
  }

  boolean hasAssistantRole() {
    if (deltaAt < 0 || choice.kind(deltaAt) != JsonKind.OBJECT) {
      return false;
    }
    int role = delta.indexOf("role");
    return role >= 0 && delta.isString(role, "assistant");
  }

  /**
   * The repairs, or null where there is nothing to repair.
   *
   * @param asRoleChunk whether this is the first chunk, whose content must be the empty string
   */
  @Nullable JsonSplice edits(boolean asRoleChunk) {
    JsonSplice edited = choiceEdits(asRoleChunk);
    if (edited == null && elements.size() == 1) {
      return null;
    }
    JsonSplice edits = JsonSplice.of(elements);
    for (int k = 0; k < elements.size(); k++) {
      if (k != ours) {
        edits.delete(k);
      }
    }
    return edited == null ? edits : edits.replace(ours, edited);
  }

  private @Nullable JsonSplice choiceEdits(boolean asRoleChunk) {
    JsonSplice edits = null;
    if (choice.indexOf("index") < 0) {
      edits = JsonSplice.of(choice).insertFirst("index", ZERO);
    }
    if (deltaAt < 0) {
      edits = (edits == null ? JsonSplice.of(choice) : edits).insertLast("delta", EMPTY_OBJECT);
    } else if (choice.kind(deltaAt) == JsonKind.NULL) {
      edits = (edits == null ? JsonSplice.of(choice) : edits).replace(deltaAt, EMPTY_OBJECT);
    } else {
      JsonSplice inDelta = deltaEdits(asRoleChunk);
      if (inDelta != null) {
        edits = (edits == null ? JsonSplice.of(choice) : edits).replace(deltaAt, inDelta);
      }
    }
    return finishEdits(edits);
  }

  private @Nullable JsonSplice finishEdits(@Nullable JsonSplice edits) {
    if (finishAt < 0) {
      return (edits == null ? JsonSplice.of(choice) : edits)
          .insertLast("finish_reason", JsonBytes.NULL);
    }
    JsonBytes replacement =
        finishes()
            ? FinishReason.replacement(choice, finishAt)
            : choice.kind(finishAt) == JsonKind.NULL ? null : JsonBytes.NULL;
    return replacement == null
        ? edits
        : (edits == null ? JsonSplice.of(choice) : edits).replace(finishAt, replacement);
  }

  private @Nullable JsonSplice deltaEdits(boolean asRoleChunk) {
    JsonSplice edits = null;
    if (asRoleChunk) {
      int content = delta.indexOf("content");
      if (content < 0) {
        edits = JsonSplice.of(delta).insertLast("content", EMPTY_STRING);
      } else if (delta.kind(content) != JsonKind.STRING) {
        edits = JsonSplice.of(delta).replace(content, EMPTY_STRING);
      }
    }
    int calls = delta.indexOf("tool_calls");
    if (calls >= 0 && delta.kind(calls) == JsonKind.ARRAY) {
      JsonSplice repaired = tools.repair(delta, calls);
      if (repaired != null) {
        edits = (edits == null ? JsonSplice.of(delta) : edits).replace(calls, repaired);
      }
    }
    return edits;
  }
}
