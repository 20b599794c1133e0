package dev.tollgate.core.exchange;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.exchange.attempt.CurrentAttempt;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.exchange.frame.DetachedRequests;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Final steps of an exchange: stores the reply for its idempotency key, settles the charge once,
 * sends the rest of the reply and writes the request record. The rest of the reply waits until the
 * charge is durable. Loop-confined.
 */
final class Finish {
  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Holdings holdings;
  private final ClientReply reply;
  private final IdempotencyGuard idempotency;
  private final CurrentAttempt attempt;
  private final RequestLoop loop;
  private @Nullable Verdict verdict;
  private @Nullable FinalReply pendingReply;
  private @Nullable DisconnectReason disconnectReason;
  private DetachedRequests.@Nullable Registration detached;

  Finish(
      ExchangeContext context,
      ExchangeRequest request,
      Holdings holdings,
      ClientReply reply,
      IdempotencyGuard idempotency,
      CurrentAttempt attempt,
      RequestLoop loop) {
    this.context = context;
    this.request = request;
    this.holdings = holdings;
    this.reply = reply;
    this.idempotency = idempotency;
    this.attempt = attempt;
    this.loop = loop;
  }

  /**
   * Outcome of a request, with its error, HTTP status and charge.
   *
   * @param outcomeUnknown true if a provider may have executed the request and no result arrived
   */
  record Verdict(
      RequestOutcome outcome,
      @Nullable Fault fault,
      int status,
      Charge charge,
      boolean outcomeUnknown) {
    private Verdict uncharged() {
      return new Verdict(outcome, fault, status, Charge.NOTHING, outcomeUnknown);
    }

    private Verdict withoutClient(DisconnectReason reason) {
      return new Verdict(RequestOutcome.of(reason), null, status, charge, outcomeUnknown);
    }

    /** True if the client left before the first event, so that nothing is charged. */
    private boolean isLeftEarly() {
      return kind() == SettlementKind.ABANDONED
          && outcome != RequestOutcome.SHED
          && charge.equals(Charge.NOTHING);
    }

    private SettlementKind kind() {
      return switch (outcome) {
        case OK, OK_ESTIMATED, REPLAYED -> SettlementKind.COMPLETED;
        case CLIENT_ABORT, CLIENT_STALLED, CLIENT_SLOW -> SettlementKind.ABANDONED;
        case REJECTED,
            PROVIDER_UNAVAILABLE,
            PROVIDER_TIMEOUT,
            PROVIDER_DISCONNECT,
            PROVIDER_ERROR,
            PROVIDER_REJECTED,
            PROVIDER_AUTH,
            PROVIDER_RATE_LIMITED,
            STREAM_INTERRUPTED,
            DEPENDENCY_DOWN,
            DRAINED,
            INTERNAL_ERROR ->
            SettlementKind.PARTIAL;
        case SHED ->
            fault == null
                ? SettlementKind.ABANDONED
                : SettlementKind.PARTIAL; // null: the client disconnected
      };
    }
  }

  /**
   * Ends the request.
   *
   * @param ended called when the reply was sent, ahead of the record
   */
  void begin(Verdict decided, FinalReply finalReply, Runnable ended) {
    loop.check();
    verdict = decided;
    pendingReply = finalReply;
    holdings.endBodyAndPermit(tokensCounted(decided));
    // The reply is stored first: a crash in between gives a reply away, and charges for none.
    idempotency.end(
        finalReply,
        decided.outcomeUnknown(),
        () -> disconnectReason == null,
        () -> charge(decided, finalReply, ended),
        () -> charge(decided.uncharged(), finalReply, ended));
  }

  /**
   * Returns the tokens that limits count: of a client that left early, its prompt
   * (docs/decisions/disconnects.md#early-disconnects).
   */
  private long tokensCounted(Verdict decided) {
    return decided.isLeftEarly()
        ? attempt.promptTokensLikely()
        : decided.charge().usage().computedTokens();
  }

  private void charge(Verdict decided, FinalReply finalReply, Runnable ended) {
    verdict = decided;
    // The row is written ahead of the reply and includes its bytes.
    long bytes = reply.bytesSent() + finalReply.bytes();
    holdings.settle(
        decided.charge(),
        decided.kind(),
        () -> context.sinks().rows().apply(record(decided, bytes)),
        () -> loop.run(() -> charged(decided, finalReply, ended)));
  }

  /** Drops the reply of a client that disconnected; the request is charged as decided. */
  void clientDisconnected(DisconnectReason reason) {
    loop.check();
    disconnectReason = reason;
    detach();
  }

  /** Makes a node that stops wait for the end of this request, although no client does. */
  void detach() {
    if (detached == null) {
      detached = context.clientless().detached().register();
    }
  }

  private void charged(Verdict decided, FinalReply finalReply, Runnable ended) {
    DisconnectReason reason = disconnectReason;
    pendingReply = null;
    if (reason == null) {
      finalReply.send(reply);
    } else {
      finalReply.release();
    }
    ended.run();
    attempt.settled(decided.charge());
    observe(reason == null ? decided : decided.withoutClient(reason));
  }

  /** Ends the request at once and without a charge, because its regular end failed. */
  void forceFinish(boolean isClientConnected, Runnable ended) {
    loop.check();
    idempotency.abandon();
    if (pendingReply != null) {
      pendingReply.release();
      pendingReply = null;
    }
    holdings.abandon();
    Fault fault = FaultMapper.UNEXPECTED_FAILURE;
    int status = reply.isOpened() ? 200 : fault.code().status();
    Charge charged = verdict == null ? Charge.NOTHING : verdict.charge();
    if (isClientConnected && disconnectReason == null) {
      reply.refuse(null, BrokenStream.unopened(fault), List.of());
    }
    ended.run();
    observe(new Verdict(RequestOutcome.INTERNAL_ERROR, fault, status, charged, false));
  }

  private void observe(Verdict decided) {
    DetachedRequests.Registration registration = detached;
    detached = null;
    try {
      context.sinks().observer().ended(record(decided, reply.bytesSent()));
    } finally {
      if (registration != null) {
        registration.end();
      }
    }
  }

  private RequestRecord record(Verdict decided, long responseBytes) {
    return request.record(
        decided.outcome(),
        decided.fault(),
        decided.status(),
        attempt.served(decided.charge()),
        responseBytes,
        loop.now());
  }
}
