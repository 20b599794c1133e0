package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import io.netty.buffer.ByteBuf;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a provider's streamed reply: converts its bytes into those for the client.
 * Loop-confined.
 */
sealed interface FlowReader permits StreamReader, BytesReader {
  /** Reads more bytes, which stay owned by the caller. */
  void feed(ByteBuf bytes);

  /** Called when the provider's body ended cleanly. */
  void end();

  /** Returns the client's bytes since the last call; null if there are none. */
  @Nullable ByteBuf takeOutput();

  /** True once an event marked the end of the stream. */
  boolean isEnded();

  /** True if a close of the connection may be the regular end of the body. */
  boolean endsWithConnection();

  /** True if bytes followed the end: the connection must not be reused. */
  boolean hasUnsolicitedBytes();

  /** Returns the deviations from the wire format so far. */
  Set<ProtocolAnomaly> anomalies();

  /** True if part of an event is buffered. */
  boolean midEvent();

  /** Returns the number of bytes of the buffered part. */
  int heldBytes();

  /** Returns the reply in the client's format, with its counts. */
  StreamingReply reply();

  /** Returns the failure of a stream that ended; null if it is complete. */
  @Nullable UpstreamFailure failure(Dialect dialect, int status);

  void release();
}
