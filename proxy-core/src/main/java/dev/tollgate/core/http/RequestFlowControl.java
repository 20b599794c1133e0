package dev.tollgate.core.http;

/**
 * Whose turn it is on a client connection: the reply handler's hold on the {@link RequestDecoder},
 * which decodes nothing behind a request's end until it was told to. On the channel's loop only.
 */
public interface RequestFlowControl {
  /**
   * The reply is complete and the connection lives on: the next {@code read()} may bring the next
   * head. Legal only after {@link BodyEnd} was fired and while {@link #mayContinue()}.
   */
  void nextRequest();

  /**
   * Whether the connection can serve another request: false after a {@link BadRequest}, after the
   * end of input, and once the client sent more ahead than is held.
   */
  boolean mayContinue();

  /** Whether bytes of a head have come, but not all. */
  boolean isHeadUnderway();

  /**
   * Body bytes of this request that are not delivered yet; 0 at its end, {@link Long#MAX_VALUE}
   * while a chunked body is underway.
   */
  long bodyBytesLeft();

  /**
   * From now on input is read and dropped without being asked. Once {@code bytesMax} were dropped
   * nothing more is read and {@code whenFull} is run. For a reply that ends the connection while
   * the client still sends.
   */
  void dropInput(long bytesMax, Runnable whenFull);

  /** Bytes that were dropped since {@link #dropInput}. */
  long droppedBytes();
}
