package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import java.util.List;

/** What a dialect that is not OpenAI's does to requests for images, and to the images. */
public interface ImageTranslation extends ReplyTranslation {
  /**
   * A request in the provider's form, built from the canonical one in JSON.
   *
   * @param sources the images that others are made of
   */
  TranslatedRequest request(JsonMembers canonical, List<? extends InputImage> sources);

  /** JSON paths of what it has nothing like. */
  List<String> unsupported(JsonMembers canonical);

  @Override
  default SseSink stream(SseSink canonical) {
    throw new IllegalStateException("images do not come as a stream");
  }
}
