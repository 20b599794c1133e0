package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Moves a model's reasoning from the member {@code reasoning} to {@code reasoning_content}, unless
 * the latter has it too.
 */
final class ReasoningFromMember implements ReasoningText {
  private static final String OTHER_NAME = "reasoning";

  @Override
  public @Nullable JsonSplice relocate(JsonMembers message, boolean last) {
    int reasoning = JsonReads.findText(message, OTHER_NAME);
    if (reasoning < 0 || JsonReads.findText(message, MEMBER) >= 0) {
      return null;
    }
    JsonSplice edits = JsonSplice.of(message);
    edits.delete(reasoning).insertBefore(reasoning, MEMBER, JsonBytes.of(message, reasoning));
    int emptyMember = message.indexOf(MEMBER);
    return emptyMember < 0 ? edits : edits.delete(emptyMember);
  }
}
