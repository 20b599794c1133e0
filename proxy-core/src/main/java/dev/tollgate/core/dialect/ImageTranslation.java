package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import java.util.List;

/** Translates image requests and replies between OpenAI's format and a provider's own format. */
public interface ImageTranslation extends ReplyTranslation {
  /**
   * Returns a request in the provider's form, built from the canonical one in JSON.
   *
   * @param sources input images
   */
  TranslatedRequest request(JsonMembers canonical, List<? extends InputImage> sources);

  /** Returns the JSON paths of members that the provider has no equivalent for. */
  List<String> unsupported(JsonMembers canonical);

  @Override
  default SseSink stream(SseSink canonical) {
    throw new IllegalStateException("images do not come as a stream");
  }
}
