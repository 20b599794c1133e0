package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.Optional;

/**
 * What a chat asks for of reasoning: an effort as OpenAI names them, or a number of tokens, or just
 * to.
 *
 * @param param the member that asks
 * @param effort empty: none is named
 * @param tokens 0: none are named
 */
record ReasoningWish(String param, String effort, long tokens) {
  private static final String NONE = "none";

  static Optional<ReasoningWish> of(JsonMembers chat) {
    int i = Given.at(chat, "reasoning", JsonKind.OBJECT);
    Optional<ReasoningWish> told = i < 0 ? Optional.empty() : ofObject(chat.object(i));
    if (told.isPresent()) {
      return told;
    }
    int effort = Given.text(chat, "reasoning_effort");
    return effort < 0
        ? Optional.empty()
        : Optional.of(new ReasoningWish("reasoning_effort", chat.string(effort), 0));
  }

  private static Optional<ReasoningWish> ofObject(JsonMembers reasoning) {
    int enabled = Given.at(reasoning, "enabled");
    if (enabled >= 0 && reasoning.kind(enabled) == JsonKind.FALSE) {
      return Optional.of(new ReasoningWish("reasoning", NONE, 0));
    }
    int effort = Given.text(reasoning, "effort");
    int tokens = Given.at(reasoning, "max_tokens", JsonKind.NUMBER);
    return effort < 0 && tokens < 0 && enabled < 0
        ? Optional.empty()
        : Optional.of(
            new ReasoningWish(
                "reasoning",
                effort < 0 ? "" : reasoning.string(effort),
                tokens < 0 ? 0 : reasoning.integer(tokens, 0)));
  }

  /** Whether it asks not to. */
  boolean isForNone() {
    return effort.equals(NONE);
  }
}
