package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/**
 * What a dialect that is not OpenAI's does to chats: our canonical form, the chat completion and
 * its chunks, into the provider's and back. Stateless; a stream's state is in what {@link #stream}
 * gives.
 */
public interface Translation {
  /** A chat in the provider's form, built from the canonical one, which stays as it is. */
  TranslatedChat chat(JsonMembers chat, Route route, Model model);

  /**
   * Takes a provider's events and hands canonical ones on. What is no event of the provider's comes
   * out as an event that is no chunk, an error as an event of that name, the end as {@code [DONE]}.
   */
  SseSink stream(SseSink canonical);

  /** A plain reply as a chat completion; what is none, such as an error, comes back as it is. */
  TranslatedReply reply(byte[] body, int length);
}
