package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.Phase;
import java.time.Duration;
import java.util.Optional;

/**
 * Consequence of a client's disconnect for its exchange (docs/decisions/disconnects.md). A pure
 * function of the phase and a few facts.
 */
sealed interface DisconnectDecision {
  /** The exchange has ended, or has decided already. */
  record Ignore() implements DisconnectDecision {}

  /** The charge is being written: it stays as decided, and the reply is dropped. */
  record DropReply() implements DisconnectDecision {}

  /** The request continues, because a repeat with its idempotency key receives the result. */
  record KeepForKey() implements DisconnectDecision {}

  /** The request continues without a client, because the provider charges for its result. */
  record KeepForMoney() implements DisconnectDecision {}

  /**
   * The stream is read on for its usage.
   *
   * @param timeMax when it is cut off
   */
  record DrainUpstream(Duration timeMax) implements DisconnectDecision {}

  /** The attempt is cancelled, and what was delivered is charged. */
  record Stop() implements DisconnectDecision {}

  /**
   * What decides beside the phase.
   *
   * @param repeated a disconnect was reported before
   * @param claimed the request holds the claim on its idempotency key
   * @param mayHaveExecuted a provider may be making a result that is charged and not requested
   *     twice
   * @param drainTime how long a stream may be read on; empty if it may not
   */
  record Facts(
      boolean repeated, boolean claimed, boolean mayHaveExecuted, Optional<Duration> drainTime) {}

  static DisconnectDecision of(Phase phase, Facts facts) {
    if (facts.repeated()) {
      return new Ignore();
    }
    return switch (phase) {
      case ENDED -> new Ignore();
      case SETTLING -> new DropReply();
      case RELAYING ->
          facts.drainTime().<DisconnectDecision>map(DrainUpstream::new).orElseGet(Stop::new);
      case STORING -> facts.claimed() ? new KeepForKey() : new KeepForMoney();
      case WAITING -> facts.claimed() ? new KeepForKey() : ofWaiting(facts);
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, DRAINING_UPSTREAM ->
          facts.claimed() ? new KeepForKey() : new Stop();
    };
  }

  private static DisconnectDecision ofWaiting(Facts facts) {
    return facts.mayHaveExecuted() ? new KeepForMoney() : new Stop();
  }
}
