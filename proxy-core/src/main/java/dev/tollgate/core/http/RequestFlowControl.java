package dev.tollgate.core.http;

/**
 * Interface through which the reply handler controls the {@link RequestDecoder} of a client
 * connection: after a request's end nothing is decoded until {@link #nextRequest()}. All methods
 * are called on the channel's event loop.
 */
public interface RequestFlowControl {
  /**
   * Allows the next head after a complete reply: the next {@code read()} may deliver it. The call
   * is legal only after {@link BodyEnd} was fired and while {@link #mayContinue()}.
   */
  void nextRequest();

  /**
   * True if the connection can serve another request: false after a {@link BadRequest}, after the
   * end of input, and after the client sent more ahead than is held.
   */
  boolean mayContinue();

  /** True if a part of a head was received, but not all. */
  boolean isHeadUnderway();

  /**
   * Returns the body bytes of this request that are not delivered yet; 0 at its end, {@link
   * Long#MAX_VALUE} in a chunked body.
   */
  long bodyBytesLeft();

  /**
   * Reads and drops all further input without being requested. After {@code bytesMax} dropped bytes
   * nothing more is read and {@code whenFull} runs. It serves for a reply that ends the connection
   * while the client still sends.
   */
  void dropInput(long bytesMax, Runnable whenFull);

  /** Returns the bytes dropped since {@link #dropInput}. */
  long droppedBytes();
}
