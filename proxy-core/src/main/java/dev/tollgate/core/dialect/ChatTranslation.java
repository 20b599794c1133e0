package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;

/**
 * Translates chat requests and replies between OpenAI's chat completion format, which is canonical
 * in the gateway, and a provider's own format. Stateless; the state of a stream is in the result of
 * {@link #stream}.
 */
public interface ChatTranslation extends ReplyTranslation {
  /** Returns a chat in the provider's form, built from the canonical one, which is not changed. */
  TranslatedRequest chat(JsonMembers chat, Route route, Model model);

  /** Returns the names of tools that the provider accepts; others are replaced before. */
  default ToolNameRule toolNames() {
    return ToolNameRule.ANY;
  }

  /** True if the model continues an answer that the conversation ends with. */
  default boolean takesPrefill(JsonMembers chat, Route route, Model model) {
    return true;
  }

  /** Returns how the provider demands that calls and their results stand together. */
  default CallPairing callPairing() {
    return CallPairing.NONE;
  }
}
