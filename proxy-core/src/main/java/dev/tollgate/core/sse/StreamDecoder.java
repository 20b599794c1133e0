package dev.tollgate.core.sse;

import io.netty.buffer.ByteBuf;

/**
 * Decoder of a provider's byte stream into events, which it passes to an {@link SseSink} however
 * the stream is split. It is confined to one thread.
 */
public interface StreamDecoder {
  /** Reads all of a buffer, which the caller still owns. */
  void feed(ByteBuf in);

  /** Ends the stream after a clean end of input. */
  void finish();

  /** Drops pending bytes; all later input is ignored. */
  void close();

  /** True if an event has begun and is not complete. */
  boolean isMidEvent();

  /** Returns the memory held for an incomplete event, in bytes. */
  int heldBytes();
}
