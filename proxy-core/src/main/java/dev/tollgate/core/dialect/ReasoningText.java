package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Moves a model's reasoning to the member {@code reasoning_content} from where an OpenAI-compatible
 * server puts it.
 */
public interface ReasoningText {
  String MEMBER = "reasoning_content";

  /**
   * Returns the edits of a message, or of the next piece of one; null means it stays as it is.
   *
   * @param last true if no piece follows
   */
  @Nullable JsonSplice relocate(JsonMembers message, boolean last);

  /** True if a part of the pieces so far is still buffered. */
  default boolean hasPending() {
    return false;
  }

  /** Returns a mover for one message, whole or in pieces. */
  static ReasoningText from(Reasoning where) {
    return switch (where) {
      case AS_IS -> (_, _) -> null;
      case REASONING -> new ReasoningFromMember();
      case CONTENT_PARTS -> new ReasoningFromParts();
      case THINK_TAGS -> new ReasoningFromTags();
    };
  }
}
