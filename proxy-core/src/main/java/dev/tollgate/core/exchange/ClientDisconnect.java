package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.exchange.frame.DrainQuota;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how the client left, and how long its provider is heard out then
 * (docs/decisions/disconnects.md#cancel). Loop-confined.
 */
final class ClientDisconnect {
  private static final Duration DRAIN_MAX = Duration.ofSeconds(5);

  private @Nullable DisconnectReason reason;
  private DrainQuota.@Nullable OpenStream openStream;

  void occurred(DisconnectReason cause) {
    reason = cause;
  }

  boolean hasOccurred() {
    return reason != null;
  }

  /** How a request ends that went well but for that. */
  RequestOutcome orElse(RequestOutcome otherwise) {
    return reason == null ? otherwise : RequestOutcome.of(reason);
  }

  /** How a request ends that nobody waits for. */
  RequestOutcome outcome() {
    return RequestOutcome.of(reason == null ? DisconnectReason.ABORTED : reason);
  }

  /** A stream flows. */
  void opened(DrainQuota.OpenStream stream) {
    openStream = stream;
  }

  /** It does not flow any more. */
  void endStream() {
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
  }

  /**
   * How long a provider is heard whose stream flows; empty: not at all.
   *
   * @param finished whether it owes nothing any more but the usage
   */
  Optional<Duration> drainTime(boolean finished, OnDisconnect policy) {
    if (finished) {
      return Optional.of(DRAIN_MAX);
    }
    return switch (policy) {
      case OnDisconnect.Cancel _ -> Optional.empty();
      case OnDisconnect.Drain drain ->
          openStream != null && openStream.tryDrain(drain.share())
              ? Optional.of(drain.time())
              : Optional.empty();
    };
  }
}
