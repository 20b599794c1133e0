package dev.tollgate.core.pipeline;

import dev.tollgate.core.http.RequestFlowControl;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import java.util.function.BooleanSupplier;

/**
 * Decision whether a client connection serves another request after a reply. It depends on the
 * request's head, on the rest of its body and on the drain. Confined to the connection's loop.
 */
final class ConnectionReuse {
  /** Bytes of a refused request's body that are still read, so that its connection can be kept. */
  private static final int REST_BYTES_MAX = 64 * 1024;

  private final ClientConnection connection;
  private final RequestFlowControl decoder;
  private final BooleanSupplier draining;
  private boolean bodyEnded;
  private int restBytes;

  ConnectionReuse(
      ClientConnection connection, RequestFlowControl decoder, BooleanSupplier draining) {
    this.connection = connection;
    this.decoder = decoder;
    this.draining = draining;
  }

  /** Marks the body of the current request as received completely. */
  void bodyEnded() {
    bodyEnded = true;
  }

  boolean isBodyEnded() {
    return bodyEnded;
  }

  /** Prepares for the body of the next request. */
  void nextRequest() {
    bodyEnded = false;
  }

  /** Resets the count for the rest of a body whose request is refused. */
  void restBegun() {
    restBytes = 0;
  }

  void restReceived(int bytes) {
    restBytes += bytes;
  }

  /** True if the rest is longer than what is read to keep the connection. */
  boolean isRestTooLong() {
    return restBytes > REST_BYTES_MAX;
  }

  /** True if the connection must be closed after the reply to this request. */
  boolean mustClose(Received request) {
    if (!request.head().keepAlive() || !mayServeNext() || connection.isDistrusted()) {
      return true;
    }
    return !bodyEnded
        && decoder.bodyBytesLeft() > 0
        && (decoder.bodyBytesLeft() > REST_BYTES_MAX || connection.isContinueOwed());
  }

  /**
   * True if the end of a chunked body may have arrived already: after it the connection can be
   * kept.
   */
  boolean mayEndInBufferedInput(Received request) {
    return !bodyEnded
        && decoder.bodyBytesLeft() == Long.MAX_VALUE
        && !connection.isContinueOwed()
        && decoder.mayContinue()
        && request.head().keepAlive();
  }

  /** True if the decoder can deliver another request, and the gateway does not drain. */
  boolean mayServeNext() {
    return decoder.mayContinue() && !draining.getAsBoolean();
  }
}
