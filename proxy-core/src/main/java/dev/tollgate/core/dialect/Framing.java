package dev.tollgate.core.dialect;

import dev.tollgate.core.sse.FrameDecoder;
import dev.tollgate.core.sse.JsonLines;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;

/** How the events of a provider's stream stand one behind the other. */
public enum Framing {
  EVENTS("text/event-stream"),
  /** One JSON text in each line. */
  LINES("application/x-ndjson"),
  /** Binary frames with check sums. */
  FRAMES("application/vnd.amazon.eventstream");

  private final String mediaType;

  Framing(String mediaType) {
    this.mediaType = mediaType;
  }

  /** The media type of such a stream. */
  public String mediaType() {
    return mediaType;
  }

  /** A decoder at the start of such a stream. */
  public StreamDecoder decoder(SseSink sink, int eventBytesMax) {
    return switch (this) {
      case EVENTS -> new SseDecoder(sink, eventBytesMax);
      case LINES -> new JsonLines(sink, eventBytesMax);
      case FRAMES -> new FrameDecoder(sink, eventBytesMax);
    };
  }
}
