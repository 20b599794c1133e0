package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;

/** What a dialect that is not OpenAI's does to requests for vectors, and to the vectors. */
public interface EmbeddingTranslation {
  /** A request in the provider's form, built from the canonical one, which stays as it is. */
  TranslatedChat request(JsonMembers canonical, Route route);

  /**
   * The vectors as OpenAI lists them; a body that holds none, such as an error, comes back as it
   * is.
   */
  TranslatedReply reply(byte[] body, int length);
}
