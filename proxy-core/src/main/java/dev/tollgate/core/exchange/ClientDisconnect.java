package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.exchange.DisconnectDecision.DrainUpstream;
import dev.tollgate.core.exchange.DisconnectDecision.Facts;
import dev.tollgate.core.exchange.DisconnectDecision.StreamFacts;
import dev.tollgate.core.exchange.attempt.CurrentAttempt;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ClientlessRequests;
import dev.tollgate.core.exchange.frame.DrainQuota;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.id.OrgId;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * State of one request about the disconnect of its client: the reason, and the open upstream
 * stream, which may then be drained for its usage (docs/decisions/disconnects.md#cancel).
 * Loop-confined.
 */
final class ClientDisconnect {
  private final ClientlessRequests clientless;
  private final OrgId organization;
  private final CurrentAttempt current;
  private @Nullable DisconnectReason reason;
  private DrainQuota.@Nullable OpenStream openStream;
  private @Nullable ScheduledFuture<?> drainTimer;
  private boolean delivered;
  private boolean left;

  ClientDisconnect(ClientlessRequests clientless, ExchangeRequest request, CurrentAttempt current) {
    this.clientless = clientless;
    this.organization = request.key().org().id();
    this.current = current;
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

  // Stream

  /** Counts a stream whose content began to flow. */
  void streamBegan() {
    delivered = true;
    openStream = clientless.drains().opened(current.candidate().provider());
  }

  /** Keeps the timer that cuts off a drained stream. */
  void drain(ScheduledFuture<?> timer) {
    drainTimer = timer;
  }

  /** Ends the stream, if one flows, and its drain. */
  void streamEnded() {
    if (drainTimer != null) {
      drainTimer.cancel(false);
      drainTimer = null;
    }
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
  }

  /** Ends the stream for good, and counts whether the client left it behind content. */
  void end() {
    streamEnded();
    if (delivered) {
      delivered = false;
      clientless.left().ended(organization, left);
    }
  }

  // Decision

  /**
   * Decides on a disconnect. A stream that is to be drained takes its place in the quota of its
   * provider; without room it is stopped.
   */
  DisconnectDecision occurred(DisconnectReason cause, Phase phase, boolean claimed) {
    DisconnectDecision decision = DisconnectDecision.of(phase, facts(phase, claimed));
    if (reason == null && phase.compareTo(Phase.SETTLING) < 0) {
      left = delivered && cause != DisconnectReason.SHED && !isFinished(phase);
    }
    if (!(decision instanceof DisconnectDecision.Ignore)) {
      reason = cause;
    }
    return decision instanceof DrainUpstream drain && !hasRoom(drain)
        ? new DisconnectDecision.Stop()
        : decision;
  }

  private boolean hasRoom(DrainUpstream drain) {
    return openStream != null && openStream.tryDrain(drain.bounds().share());
  }

  private Facts facts(Phase phase, boolean claimed) {
    return new Facts(hasOccurred(), claimed, current.mayHaveExecuted(), streamFacts(phase));
  }

  private StreamFacts streamFacts(Phase phase) {
    OnDisconnect policy = current.candidate().provider().onDisconnect();
    boolean isOpen = phase == Phase.RELAYING && !hasOccurred();
    boolean finished = isFinished(phase);
    boolean mayBeDoubtful = isOpen && !finished;
    return new StreamFacts(
        policy,
        finished,
        mayBeDoubtful && current.isPromptUncertain(),
        mayBeDoubtful && clientless.left().isHabitual(organization));
  }

  private boolean isFinished(Phase phase) {
    return phase == Phase.RELAYING && current.stream().finished();
  }
}
