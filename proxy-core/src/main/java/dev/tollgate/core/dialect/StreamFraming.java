package dev.tollgate.core.dialect;

import dev.tollgate.core.sse.AwsEventStreamDecoder;
import dev.tollgate.core.sse.JsonLinesDecoder;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;

/** How the events of a provider's stream stand one behind the other. */
public enum StreamFraming {
  EVENTS("text/event-stream"),
  /** One JSON text in each line. */
  LINES("application/x-ndjson"),
  /** Binary frames with check sums. */
  FRAMES("application/vnd.amazon.eventstream");

  private final String mediaType;

  StreamFraming(String mediaType) {
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
      case LINES -> new JsonLinesDecoder(sink, eventBytesMax);
      case FRAMES -> new AwsEventStreamDecoder(sink, eventBytesMax);
    };
  }
}
