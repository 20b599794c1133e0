package dev.tollgate.core.api;

/** Reply that is passed to the client as opaque bytes, such as audio: counted and never parsed. */
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
