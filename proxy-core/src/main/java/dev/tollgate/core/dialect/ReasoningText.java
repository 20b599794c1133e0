package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/** Moves what a model thought to where clients look for it: {@code reasoning_content}. */
public interface ReasoningText {
  String MEMBER = "reasoning_content";

  /**
   * The edits of a message, or of the next piece of one; null: it stays as it is.
   *
   * @param last whether no piece follows
   */
  @Nullable JsonSplice relocate(JsonMembers message, boolean last);

  /** Whether something of the pieces so far is still to come. */
  default boolean hasPending() {
    return false;
  }

  /** For one message, whole or in pieces. */
  static ReasoningText from(Reasoning where) {
    return switch (where) {
      case AS_IS -> (_, _) -> null;
      case REASONING -> new ReasoningFromMember();
      case CONTENT_PARTS -> new ReasoningFromParts();
      case THINK_TAGS -> new ReasoningFromTags();
    };
  }
}
