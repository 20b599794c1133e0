package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/** Thoughts in a member {@code reasoning}, unless they stand under the usual name too. */
final class NamedThoughts implements Thoughts {
  private static final String OTHER_NAME = "reasoning";

  @Override
  public @Nullable JsonSplice moved(JsonMembers message, boolean last) {
    int thought = Given.text(message, OTHER_NAME);
    if (thought < 0 || Given.text(message, MEMBER) >= 0) {
      return null;
    }
    JsonSplice edits = JsonSplice.of(message);
    edits.delete(thought).insertBefore(thought, MEMBER, JsonBytes.of(message, thought));
    int nothing = message.indexOf(MEMBER);
    return nothing < 0 ? edits : edits.delete(nothing);
  }
}
