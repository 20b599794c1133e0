package dev.tollgate.core.dialect;

import dev.tollgate.core.sse.AwsEventStreamDecoder;
import dev.tollgate.core.sse.JsonLinesDecoder;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;

/**
 * Framing of the events in a provider's response stream: server-sent events, JSON lines or AWS
 * event frames.
 */
public enum StreamFraming {
  EVENTS("text/event-stream"),
  /** One JSON text per line. */
  LINES("application/x-ndjson"),
  /** Binary frames with checksums. */
  FRAMES("application/vnd.amazon.eventstream");

  private final String mediaType;

  StreamFraming(String mediaType) {
    this.mediaType = mediaType;
  }

  /** Returns the media type of such a stream. */
  public String mediaType() {
    return mediaType;
  }

  /** Returns a decoder of a new stream. */
  public StreamDecoder decoder(SseSink sink, int eventBytesMax) {
    return switch (this) {
      case EVENTS -> new SseDecoder(sink, eventBytesMax);
      case LINES -> new JsonLinesDecoder(sink, eventBytesMax);
      case FRAMES -> new AwsEventStreamDecoder(sink, eventBytesMax);
    };
  }
}
