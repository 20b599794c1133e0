package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.exchange.frame.Phase;
import java.time.Duration;

/**
 * Decision how an exchange continues after its client disconnected: it ignores that, runs on, reads
 * the upstream on or stops (docs/decisions/disconnects.md). A pure function of the phase and a few
 * facts.
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
   * The stream is finished and is read on for its usage.
   *
   * @param timeMax time after which it is cut off
   */
  record AwaitUsage(Duration timeMax) implements DisconnectDecision {}

  /** The stream is read to its end for its usage if the quota has room, else stopped. */
  record DrainUpstream(OnDisconnect.Drain bounds) implements DisconnectDecision {}

  /** The attempt is cancelled, and what was delivered is charged. */
  record Stop() implements DisconnectDecision {}

  /** Time for the usage behind a finish. */
  Duration USAGE_MAX = Duration.ofSeconds(5);

  /**
   * Facts on which the decision depends besides the phase.
   *
   * @param repeated true if a disconnect was reported before
   * @param claimed true if the request holds the claim on its idempotency key
   * @param mayHaveExecuted true if a provider may be making a result that is charged and not
   *     requested twice
   * @param stream facts about the stream that is being relayed
   */
  record Facts(boolean repeated, boolean claimed, boolean mayHaveExecuted, StreamFacts stream) {}

  /**
   * Facts about a stream that delivered content.
   *
   * @param policy the provider's setting
   * @param finished true if it has a finish reason
   * @param uncertain true if the estimate of its prompt may be far off
   * @param habitual true if its organization leaves streams habitually
   */
  record StreamFacts(OnDisconnect policy, boolean finished, boolean uncertain, boolean habitual) {
    private boolean isDoubtful() {
      return uncertain || habitual;
    }
  }

  static DisconnectDecision of(Phase phase, Facts facts) {
    if (facts.repeated()) {
      return new Ignore();
    }
    return switch (phase) {
      case ENDED -> new Ignore();
      case SETTLING -> new DropReply();
      case RELAYING -> ofRelaying(facts.stream());
      case STORING -> facts.claimed() ? new KeepForKey() : new KeepForMoney();
      case WAITING -> facts.claimed() ? new KeepForKey() : ofWaiting(facts);
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, DRAINING_UPSTREAM ->
          facts.claimed() ? new KeepForKey() : new Stop();
    };
  }

  private static DisconnectDecision ofRelaying(StreamFacts stream) {
    if (stream.finished()) {
      return new AwaitUsage(USAGE_MAX);
    }
    return switch (stream.policy()) {
      case OnDisconnect.Drain drain -> new DrainUpstream(drain);
      case OnDisconnect.Cancel _ when stream.isDoubtful() ->
          new DrainUpstream(OnDisconnect.Drain.USUAL);
      case OnDisconnect.Cancel _ -> new Stop();
    };
  }

  private static DisconnectDecision ofWaiting(Facts facts) {
    return facts.mayHaveExecuted() ? new KeepForMoney() : new Stop();
  }
}
