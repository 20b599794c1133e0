package dev.tollgate.core.dialect;

import dev.tollgate.core.sse.SseSink;

/** How a provider's replies become canonical ones. Stateless. */
public interface ReplyTranslation {
  /**
   * Takes a provider's events and hands canonical ones on. What is no event of the provider's comes
   * out as an event that is no chunk, an error as an event of that name, the end as {@code [DONE]}.
   */
  SseSink stream(SseSink canonical);

  /** A plain reply in canonical form; what is none, such as an error, comes back as it is. */
  TranslatedReply reply(byte[] body, int length);
}
