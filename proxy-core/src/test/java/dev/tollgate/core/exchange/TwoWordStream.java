package dev.tollgate.core.exchange;

import dev.tollgate.core.testkit.OpenAiWire;

/** Chat stream of a provider with two words of content, as bytes up to several points. */
final class TwoWordStream {
  /** Head, role and content. */
  static final String TWO_WORDS =
      OpenAiWire.STREAM_HEAD
          + OpenAiWire.event(OpenAiWire.role())
          + OpenAiWire.event(OpenAiWire.content("one"))
          + OpenAiWire.event(OpenAiWire.content("two"));

  /** The stream up to its finish reason. */
  static final String FINISHED = TWO_WORDS + OpenAiWire.event(OpenAiWire.finish("stop"));

  /** The stream up to its usage. */
  static final String USED = FINISHED + OpenAiWire.event(OpenAiWire.usage(7, 2));

  /** Terminator and last chunk. */
  static final String DONE = OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK;

  private TwoWordStream() {}
}
