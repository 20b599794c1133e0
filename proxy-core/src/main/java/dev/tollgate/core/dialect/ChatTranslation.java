package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;

/**
 * What a dialect that is not OpenAI's does to chats: our canonical form, the chat completion and
 * its chunks, into the provider's and back. Stateless; a stream's state is in what {@link #stream}
 * gives.
 */
public interface ChatTranslation extends ReplyTranslation {
  /** A chat in the provider's form, built from the canonical one, which stays as it is. */
  TranslatedRequest chat(JsonMembers chat, Route route, Model model);
}
