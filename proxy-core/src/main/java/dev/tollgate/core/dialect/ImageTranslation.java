package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/** What a dialect that is not OpenAI's does to requests for images, and to the images. */
public interface ImageTranslation extends ReplyTranslation {
  /** A request in the provider's form, built from the canonical one in JSON. */
  TranslatedChat request(JsonMembers canonical);

  @Override
  default SseSink stream(SseSink canonical) {
    throw new IllegalStateException("images do not come as a stream");
  }
}
