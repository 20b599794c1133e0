package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.exchange.attempt.CurrentAttempt;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.DrainQuota;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * State of one request about the disconnect of its client: the reason, and the open upstream
 * stream, which may then be drained for its usage (docs/decisions/disconnects.md#cancel).
 * Loop-confined.
 */
final class ClientDisconnect {
  private static final Duration DRAIN_MAX = Duration.ofSeconds(5);

  private @Nullable DisconnectReason reason;
  private DrainQuota.@Nullable OpenStream openStream;
  private @Nullable ScheduledFuture<?> drainTimer;

  void occurred(DisconnectReason cause) {
    reason = cause;
  }

  boolean hasOccurred() {
    return reason != null;
  }

  /**
   * Returns the outcome of a request that got its result, whether its client is connected or not.
   */
  RequestOutcome outcomeOf(Charge charge) {
    if (reason != null) {
      return RequestOutcome.of(reason);
    }
    return charge.usage().estimated() ? RequestOutcome.OK_ESTIMATED : RequestOutcome.OK;
  }

  /** Returns the outcome of a request that ends because of the disconnect. */
  RequestOutcome outcome() {
    return RequestOutcome.of(reason == null ? DisconnectReason.ABORTED : reason);
  }

  /** Counts a stream that began to flow. */
  void opened(DrainQuota.OpenStream stream) {
    openStream = stream;
  }

  /** Keeps the timer that cuts off a drained stream. */
  void drain(ScheduledFuture<?> timer) {
    drainTimer = timer;
  }

  /** Ends the stream, if one flows, and its drain. */
  void endStream() {
    if (drainTimer != null) {
      drainTimer.cancel(false);
      drainTimer = null;
    }
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
  }

  /**
   * Returns the facts that decide on a disconnect that is about to be reported. A stream that may
   * be drained takes its place in the quota of its provider.
   */
  DisconnectDecision.Facts facts(Phase phase, boolean claimed, CurrentAttempt current) {
    boolean repeated = hasOccurred();
    Optional<Duration> drainTime =
        phase == Phase.RELAYING && !repeated ? drainTime(current) : Optional.empty();
    return new DisconnectDecision.Facts(repeated, claimed, current.mayHaveExecuted(), drainTime);
  }

  /** Returns the time for the usage behind a finish, or as the provider's policy grants it. */
  private Optional<Duration> drainTime(CurrentAttempt current) {
    if (current.stream().finished()) {
      return Optional.of(DRAIN_MAX);
    }
    return switch (current.candidate().provider().onDisconnect()) {
      case OnDisconnect.Cancel _ -> Optional.empty();
      case OnDisconnect.Drain drain ->
          openStream != null && openStream.tryDrain(drain.share())
              ? Optional.of(drain.time())
              : Optional.empty();
    };
  }
}
