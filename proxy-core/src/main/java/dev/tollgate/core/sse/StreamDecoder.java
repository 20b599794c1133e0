package dev.tollgate.core.sse;

import io.netty.buffer.ByteBuf;

/** Turns reads of a provider's stream into its events, wherever it is cut. One thread. */
public interface StreamDecoder {
  /** Reads all of a buffer, which stays the caller's. */
  void feed(ByteBuf in);

  /** The stream ended cleanly. */
  void finish();

  /** Drops what is pending; whatever is fed later is ignored. */
  void close();

  /** Whether an event has begun and is not complete. */
  boolean isMidEvent();

  /** How much memory is held for an event that is not complete. */
  int heldBytes();
}
