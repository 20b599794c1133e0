package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.DeltaText;
import dev.tollgate.core.api.FinishReason;
import dev.tollgate.core.api.IncompleteReason;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.json.JsonValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the choices in a chat chunk: it finds the first choice, its content, and the repairs
 * that SDK helpers need. One instance is reused for every chunk of a stream.
 */
public final class ChoiceReader {
  private static final JsonBytes EMPTY_OBJECT = JsonBytes.raw("{}");
  private static final JsonBytes EMPTY_STRING = JsonBytes.string("");
  private static final JsonBytes ZERO = JsonBytes.number(0);

  /** Members of a delta whose content is appended to the answer. */
  private static final List<String> APPENDED =
      List.of(
          "content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call");

  private final DeltaCalls calls;
  private final JsonElements choices = new JsonElements();
  private final JsonMembers choice = new JsonMembers();
  private final JsonMembers delta = new JsonMembers();
  private final JsonMembers inside = new JsonMembers();
  private int ours;
  private int others;
  private int deltaAt;
  private int finishAt;
  private boolean hasDelta;
  private boolean finishes;
  private boolean emptyDelta;
  private long contentBytes;
  private long thoughtBytes;
  private int carrying;
  private int textAt;
  private @Nullable JsonSplice restriction;

  ChoiceReader(ReplyStamp stamp) {
    calls = new DeltaCalls(stamp);
  }

  /** Outcome of reading the choices of a chunk. */
  enum Verdict {
    FINE,
    /** There is no choice. */
    NONE,
    /** The choices do not have a chunk's shape, or several are the first. */
    BAD,
    /** There are only choices beyond the first. */
    OTHER_INDEX,
    /** The finish reason is a failure of the provider. */
    FAILED
  }

  Verdict read(JsonItems root, int choicesAt) {
    choices.readInside(root, choicesAt);
    others = 0;
    if (choices.size() == 0) {
      return Verdict.NONE;
    }
    if (choices.isCut()) {
      return Verdict.BAD;
    }
    ours = -1;
    for (int k = choices.size() - 1; k >= 0; k--) {
      if (choices.kind(k) != JsonKind.OBJECT) {
        return Verdict.BAD;
      }
    }
    int first = 0;
    for (int k = choices.size() - 1; k >= 0; k--) {
      choice.readInside(choices, k);
      int index = choice.indexOf("index");
      long number = index < 0 ? 0 : choice.integer(index, 0);
      if (number < 0) {
        return Verdict.BAD; // it may be the first choice
      }
      if (number == 0) {
        ours = k;
        first++;
      }
    }
    if (first > 1) {
      return Verdict.BAD; // only one of them could be relayed
    }
    others = choices.size() - first;
    if (ours < 0) {
      return Verdict.OTHER_INDEX;
    }
    if (ours > 0) {
      choice.readInside(choices, ours);
    }
    return readChoice();
  }

  /** Returns the number of choices beyond the first, which are dropped. */
  int others() {
    return others;
  }

  private Verdict readChoice() {
    if (choice.isCut()) {
      return Verdict.BAD;
    }
    deltaAt = choice.indexOf("delta");
    finishAt = choice.indexOf("finish_reason");
    finishes = finishAt >= 0 && FinishReason.finishes(choice, finishAt);
    hasDelta = deltaAt >= 0 && choice.kind(deltaAt) == JsonKind.OBJECT;
    emptyDelta = true;
    contentBytes = 0;
    thoughtBytes = 0;
    carrying = 0;
    textAt = -1;
    restriction = null;
    calls.begin(finishes);
    if (!mayBeFinish() || isRepeated(deltaAt, "delta")) {
      return Verdict.BAD;
    }
    if (finishes && FinishReason.isFailure(choice, finishAt)) {
      return Verdict.FAILED;
    }
    if (hasDelta) {
      delta.readInside(choice, deltaAt);
      if (delta.isCut() || repeatsContent()) {
        return Verdict.BAD;
      }
      measure();
      calls.end();
      return Verdict.FINE;
    }
    calls.end();
    return deltaAt < 0 || choice.kind(deltaAt) == JsonKind.NULL ? Verdict.FINE : Verdict.BAD;
  }

  private boolean mayBeFinish() {
    if (finishAt < 0) {
      return true;
    }
    return switch (choice.kind(finishAt)) {
      case STRING, NULL -> !isRepeated(finishAt, "finish_reason");
      case NUMBER, TRUE, FALSE, OBJECT, ARRAY -> false;
    };
  }

  private boolean isRepeated(int i, String name) {
    return i >= 0 && choice.indexOf(name, i + 1) >= 0;
  }

  /** True if the delta has content twice under one name, of which a client reads only one. */
  private boolean repeatsContent() {
    if (delta.size() < 2) {
      return false;
    }
    for (int i = 0; i < APPENDED.size(); i++) {
      if (delta.count(APPENDED.get(i)) > 1) {
        return true;
      }
    }
    return false;
  }

  private void measure() {
    for (int i = 0; i < delta.size(); i++) {
      if (carries(i)) {
        emptyDelta = false;
        carrying++;
        content(i);
      }
    }
  }

  private void content(int i) {
    DeltaText text = DeltaText.of(delta, i);
    if (text != null) {
      textAt = i;
      count(text, delta.valueEnd(i) - delta.valueStart(i) - 2);
    } else {
      contentBytes += calls.read(delta, i);
    }
  }

  /** True if the arguments of a call in the chunks so far are incomplete. */
  boolean hasIncompleteCalls() {
    return calls.areIncomplete();
  }

  /** Counts a text once: providers that write reasoning under both names repeat the same text. */
  private void count(DeltaText text, int sizeBytes) {
    switch (text) {
      case CONTENT, REFUSAL -> contentBytes += sizeBytes;
      case REASONING_CONTENT, REASONING -> thoughtBytes = Math.max(thoughtBytes, sizeBytes);
    }
  }

  /** True if a member of the delta has content besides the role. */
  boolean carries(int i) {
    return !delta.isName(i, "role") && !isNothing(i);
  }

  private boolean isNothing(int i) {
    return switch (delta.kind(i)) {
      case NULL -> true;
      case STRING -> delta.isEmptyString(i) || delta.isName(i, "channel");
      case ARRAY -> isEmpty(delta, i);
      case OBJECT -> isEmpty(delta, i) || holdsNothing(i);
      case NUMBER, TRUE, FALSE -> delta.isName(i, "token_id");
    };
  }

  private static boolean isEmpty(JsonMembers members, int i) {
    return members.valueEnd(i) - members.valueStart(i) == 2;
  }

  /** True if the value is an object whose members are all null, as some providers send. */
  private boolean holdsNothing(int i) {
    inside.readInside(delta, i);
    for (int k = 0; k < inside.size(); k++) {
      boolean nothing =
          switch (inside.kind(k)) {
            case NULL -> true;
            case STRING -> inside.isEmptyString(k);
            case ARRAY, OBJECT -> isEmpty(inside, k);
            case NUMBER, TRUE, FALSE -> false;
          };
      if (!nothing) {
        return false;
      }
    }
    return !inside.isCut();
  }

  /** Returns the members of the delta; null if there is none. */
  @Nullable JsonMembers delta() {
    return hasDelta ? delta : null;
  }

  /** Returns the index of the only member with content if it is text; else -1. */
  int onlyText() {
    return carrying == 1 ? textAt : -1;
  }

  /** Returns the repaired delta; null if there is none. */
  @Nullable
  public JsonMembers repairedDelta() {
    JsonSplice edits = hasDelta ? deltaEdits(false) : calls.alone();
    return edits == null ? delta() : written(edits);
  }

  /** Ends a stream without a finish. Returns the delta that its calls need; null if none. */
  @Nullable
  public JsonMembers lastDelta() {
    calls.begin(true);
    calls.end();
    JsonSplice edits = calls.alone();
    return edits == null ? null : written(edits);
  }

  private static JsonMembers written(JsonSplice edits) {
    ByteBuf repaired = Unpooled.buffer(edits.sizeBytes());
    edits.writeTo(repaired);
    return JsonMembers.ofKept(repaired.array());
  }

  /** Returns the reason for an incomplete reply. */
  public IncompleteReason incomplete() {
    return finishes ? FinishReason.incomplete(choice, finishAt) : IncompleteReason.NONE;
  }

  /** Restricts the delta to the result of these edits; null removes the restriction. */
  void restrict(@Nullable JsonSplice edits) {
    restriction = edits;
  }

  /** True if the delta has at most a role. */
  boolean isEmptyDelta() {
    return emptyDelta;
  }

  /** Returns the bytes of text in the delta: content, reasoning, refusal and tool arguments. */
  long contentBytes() {
    return contentBytes + thoughtBytes;
  }

  public boolean finishes() {
    return finishes;
  }

  boolean hasAssistantRole() {
    int role = hasDelta ? delta.indexOf("role") : -1;
    return role >= 0 && delta.isString(role, "assistant");
  }

  /** Returns a usage object inside the choice, where a few providers put it; or null. */
  @Nullable JsonMembers usage() {
    int i = usageAt();
    return i < 0 ? null : choice.object(i);
  }

  private int usageAt() {
    int i = choice.indexOf("usage");
    return i >= 0 && choice.kind(i) == JsonKind.OBJECT ? i : -1;
  }

  /**
   * Returns the repairs, or null if there are none. Valid until the next {@link #read}.
   *
   * @param asRoleChunk true for the first chunk, whose content must be the empty string
   */
  @Nullable JsonSplice edits(boolean asRoleChunk) {
    JsonSplice edited = choiceEdits(asRoleChunk);
    if (edited == null && choices.size() == 1) {
      return null;
    }
    JsonSplice edits = JsonSplice.of(choices);
    for (int k = 0; k < choices.size(); k++) {
      if (k != ours) {
        edits.delete(k);
      }
    }
    return edited == null ? edits : edits.replace(ours, edited);
  }

  private @Nullable JsonSplice choiceEdits(boolean asRoleChunk) {
    JsonSplice edits = null;
    int index = choice.indexOf("index");
    if (index < 0) {
      edits = JsonSplice.of(choice).insertFirst("index", ZERO);
    } else if (choice.writtenInteger(index, -1) != 0) {
      edits = JsonSplice.of(choice).replace(index, ZERO);
    }
    if (!hasDelta) {
      JsonSplice ofCalls = calls.alone();
      JsonValue missing = ofCalls == null ? EMPTY_OBJECT : ofCalls;
      edits = onChoice(edits);
      edits = deltaAt < 0 ? edits.insertLast("delta", missing) : edits.replace(deltaAt, missing);
    } else {
      JsonSplice inDelta = deltaEdits(asRoleChunk);
      edits = inDelta == null ? edits : onChoice(edits).replace(deltaAt, inDelta);
    }
    int usage = usageAt();
    return finishEdits(usage < 0 ? edits : onChoice(edits).delete(usage));
  }

  private @Nullable JsonSplice finishEdits(@Nullable JsonSplice edits) {
    if (finishAt < 0) {
      return onChoice(edits).insertLast("finish_reason", JsonBytes.NULL);
    }
    JsonBytes replacement =
        finishes
            ? FinishReason.replacement(choice, finishAt)
            : choice.kind(finishAt) == JsonKind.NULL ? null : JsonBytes.NULL;
    return replacement == null ? edits : onChoice(edits).replace(finishAt, replacement);
  }

  private JsonSplice onChoice(@Nullable JsonSplice edits) {
    return edits == null ? JsonSplice.of(choice) : edits;
  }

  private @Nullable JsonSplice deltaEdits(boolean asRoleChunk) {
    JsonSplice edits = restriction;
    if (asRoleChunk) {
      int content = delta.indexOf("content");
      if (content < 0) {
        edits = JsonSplice.of(delta).insertLast("content", EMPTY_STRING);
      } else if (delta.kind(content) != JsonKind.STRING) {
        edits = JsonSplice.of(delta).replace(content, EMPTY_STRING);
      }
    }
    return calls.edits(delta, edits);
  }
}
