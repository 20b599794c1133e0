package dev.tollgate.core.api;

/**
 * State of a streamed reply that is passed to the client as opaque bytes, such as audio: the bytes
 * are counted and never parsed.
 */
public non-sealed interface ReplyByteStream extends StreamingReply {
  /**
   * Counts bytes that arrived from the provider.
   *
   * @param more number of new bytes
   */
  void received(int more);

  /** Marks the provider's body as complete. */
  void end();
}
