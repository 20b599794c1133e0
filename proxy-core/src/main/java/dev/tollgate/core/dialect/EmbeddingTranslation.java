package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/** What a dialect that is not OpenAI's does to requests for vectors, and to the vectors. */
public interface EmbeddingTranslation extends ReplyTranslation {
  /** A request in the provider's form, built from the canonical one, which stays as it is. */
  TranslatedRequest request(JsonMembers canonical, Route route);

  /** How many texts one request may have. */
  int textsMax();

  @Override
  default SseSink stream(SseSink canonical) {
    throw new IllegalStateException("vectors do not come as a stream");
  }
}
