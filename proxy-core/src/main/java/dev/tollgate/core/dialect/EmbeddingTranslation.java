package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/**
 * Translates embedding requests and replies between OpenAI's format and a provider's own format.
 */
public interface EmbeddingTranslation extends ReplyTranslation {
  /**
   * Returns a request in the provider's form, built from the canonical one, which is not changed.
   */
  TranslatedRequest request(JsonMembers canonical, Route route);

  /** Returns the highest number of texts per request. */
  int textsMax();

  @Override
  default SseSink stream(SseSink canonical) {
    throw new IllegalStateException("vectors do not come as a stream");
  }
}
