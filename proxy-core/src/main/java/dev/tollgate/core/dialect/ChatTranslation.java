package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;

/**
 * Translation of chats between the canonical form, which is OpenAI's chat completion and its
 * chunks, and a provider's form. Stateless; the state of a stream is in the result of {@link
 * #stream}.
 */
public interface ChatTranslation extends ReplyTranslation {
  /** Returns a chat in the provider's form, built from the canonical one, which is not changed. */
  TranslatedRequest chat(JsonMembers chat, Route route, Model model);
}
