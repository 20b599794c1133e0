package dev.tollgate.core.api;

/** A reply that the client gets as opaque bytes, such as audio: counted and never parsed. */
public non-sealed interface ReplyByteStream extends StreamingReply {
  /**
   * Counts bytes that arrived from the provider.
   *
   * @param more how many
   */
  void received(int more);

  /** The provider's body is complete. */
  void end();
}
