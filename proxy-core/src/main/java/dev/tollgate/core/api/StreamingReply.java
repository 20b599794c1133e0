package dev.tollgate.core.api;

import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is known of one provider's reply that the client gets as it comes. */
public sealed interface StreamingReply permits ReplyEventStream, ReplyByteStream {
  /** The last usage that the provider reported, if it was sound. */
  Optional<Usage> reportedUsage();

  /** What was used besides tokens, as far as it is known. */
  default List<Quantity> quantities() {
    return List.of();
  }

  /** Our own count of the output so far. */
  long deliveredTokens();

  /** Whether content came; it was written unless the client had it already. */
  boolean contentSeen();

  /** Whether the client got anything of this provider's. */
  boolean isWritten();

  /** Whether its end came: it is complete unless content follows. */
  boolean finished();

  /** Whether it said that it finished before it had repeated all that the client has. */
  default boolean endedBehind() {
    return false;
  }

  /** Events that were dropped because they could not be read. */
  long badEvents();

  /** What is odd about it so far. */
  default Set<ProtocolAnomaly> anomalies() {
    return Set.of();
  }

  /** Lets go of what was held back. */
  void release();
}
