package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import io.netty.buffer.ByteBuf;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns the bytes of a provider's reply, as they come, into the client's. Loop-confined. */
sealed interface FlowReader permits StreamReader, BytesReader {
  /** Reads on. The bytes stay the caller's. */
  void feed(ByteBuf bytes);

  /** The provider's body is at its clean end. */
  void end();

  /** What the client gets of the reads since the last call, or null where that is nothing. */
  @Nullable ByteBuf takeOutput();

  /** Whether its end was told by what came, wherever the body ends. */
  boolean isEnded();

  /** Whether a connection that closes ends the body, as far as can be known from outside. */
  boolean endsWithConnection();

  /** Whether more came than there should: such a connection is not to be trusted again. */
  boolean hasUnsolicitedBytes();

  /** What is odd about it, whether or not it is complete. */
  Set<ProtocolAnomaly> anomalies();

  /** Whether a part came of something that goes to the client only as a whole. */
  boolean midEvent();

  /** Bytes of that. */
  int heldBytes();

  /** What was made of it. */
  StreamingReply reply();

  /** The failure of one that ended, or null where it is complete. */
  @Nullable UpstreamFailure failure(Dialect dialect, int status);

  void release();
}
