package dev.tollgate.core.api;

import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * State of one provider's reply that is passed to the client while it arrives, as events or bytes.
 */
public sealed interface StreamingReply permits ReplyEventStream, ReplyByteStream {
  /** Returns the last usage that the provider reported, if plausible. */
  Optional<Usage> reportedUsage();

  /** Returns the usage besides tokens, as far as known. */
  default List<Quantity> quantities() {
    return List.of();
  }

  /** Returns the gateway's own count of the output so far. */
  long deliveredTokens();

  /** True if content arrived; it was written unless the client already had it. */
  boolean contentSeen();

  /** True if the client got anything from this provider. */
  boolean isWritten();

  /** True if the finish arrived: the reply is complete unless more content follows. */
  boolean finished();

  /** True if the provider finished before it had repeated all that the client has. */
  default boolean endedBehind() {
    return false;
  }

  /** Returns the number of events that were dropped as unreadable. */
  long badEvents();

  /** Returns the anomalies so far. */
  default Set<ProtocolAnomaly> anomalies() {
    return Set.of();
  }

  /** Releases the buffers. */
  void release();
}
