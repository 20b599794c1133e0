package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.Phase;
import java.time.Duration;
import java.util.Optional;

/**
 * Decision how an exchange continues after its client disconnected: it ignores that, runs on,
 * drains the upstream or stops (docs/decisions/disconnects.md). A pure function of the phase and a
 * few facts.
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
   * The stream is read to its end for its usage.
   *
   * @param timeMax time after which it is cut off
   */
  record DrainUpstream(Duration timeMax) implements DisconnectDecision {}

  /** The attempt is cancelled, and what was delivered is charged. */
  record Stop() implements DisconnectDecision {}

  /**
   * Facts on which the decision depends besides the phase.
   *
   * @param repeated true if a disconnect was reported before
   * @param claimed true if the request holds the claim on its idempotency key
   * @param mayHaveExecuted true if a provider may be making a result that is charged and not
   *     requested twice
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
