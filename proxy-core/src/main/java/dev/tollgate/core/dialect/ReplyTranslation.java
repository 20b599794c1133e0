package dev.tollgate.core.dialect;

import dev.tollgate.core.sse.SseSink;

/**
 * Translates a provider's replies, plain and streamed, to OpenAI's format, which is canonical in
 * the gateway. Implementations are stateless.
 */
public interface ReplyTranslation {
  /**
   * Returns a sink of a provider's events that passes canonical ones on. An event that is not the
   * provider's comes out as an event that is no chunk, an error as an event of the name {@code
   * error}, the end as {@code [DONE]}.
   */
  SseSink stream(SseSink canonical);

  /**
   * Returns a plain reply in canonical form; any other body, such as an error, is returned as it
   * is.
   */
  TranslatedReply reply(byte[] body, int length);
}
