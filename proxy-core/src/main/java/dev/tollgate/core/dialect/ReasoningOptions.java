package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.Optional;

/**
 * Amount of reasoning that a chat request asks for: an effort in OpenAI's terms, a number of
 * tokens, or neither.
 *
 * @param param the member that requests it
 * @param effort may be empty
 * @param tokens 0 means no number is requested
 */
public record ReasoningOptions(String param, String effort, long tokens) {
  private static final String NONE = "none";
  private static final String OBJECT = "reasoning";

  public static Optional<ReasoningOptions> of(JsonMembers chat) {
    int i = JsonReads.find(chat, OBJECT, JsonKind.OBJECT);
    Optional<ReasoningOptions> fromObject = i < 0 ? Optional.empty() : ofObject(chat.object(i));
    if (fromObject.isPresent()) {
      return fromObject;
    }
    int effort = JsonReads.findText(chat, "reasoning_effort");
    return effort < 0
        ? Optional.empty()
        : Optional.of(new ReasoningOptions("reasoning_effort", chat.string(effort), 0));
  }

  private static Optional<ReasoningOptions> ofObject(JsonMembers reasoning) {
    int enabled = JsonReads.find(reasoning, "enabled");
    if (enabled >= 0 && reasoning.kind(enabled) == JsonKind.FALSE) {
      return Optional.of(new ReasoningOptions(OBJECT, NONE, 0));
    }
    int effort = JsonReads.findText(reasoning, "effort");
    int tokens = JsonReads.find(reasoning, "max_tokens", JsonKind.NUMBER);
    return effort < 0 && tokens < 0 && enabled < 0
        ? Optional.empty()
        : Optional.of(
            new ReasoningOptions(
                OBJECT,
                effort < 0 ? "" : reasoning.string(effort),
                tokens < 0 ? 0 : reasoning.integer(tokens, 0)));
  }

  /** Returns the path of the effort. */
  public String effortParam() {
    return param.equals(OBJECT) ? OBJECT + ".effort" : param;
  }

  /** Returns the path of the number of tokens. */
  public String tokensParam() {
    return OBJECT + ".max_tokens";
  }

  /** Names the effort if it is above {@code high} and the provider has none there. */
  public void dropAboveHigh(DroppedFields dropped) {
    if (effort.equals("xhigh") || effort.equals("max")) {
      dropped.add(effortParam());
    }
  }

  /** Names the number of tokens, if there is one and the provider gets another. */
  public void dropTokensUnless(long sent, DroppedFields dropped) {
    if (tokens > 0 && tokens != sent) {
      dropped.add(tokensParam());
    }
  }

  /** True if the chat asks for an answer without reasoning. */
  public boolean isDisabled() {
    return effort.equals(NONE);
  }
}
