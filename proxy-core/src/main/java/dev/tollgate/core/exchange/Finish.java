package dev.tollgate.core.exchange;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.exchange.frame.DetachedRequests;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only way out of an exchange: charges once, then tells the client, then records. What the
 * client is told waits until the charge cannot be lost. Loop-confined.
 */
final class Finish {
  private static final Logger LOG = LoggerFactory.getLogger(Finish.class);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final ClientReply reply;
  private final Function<Charge, Served> served;
  private final LongSupplier now;
  private final IdempotencyGuard idempotency;
  private final RequestReservation reservation = new RequestReservation();
  private final RateLimitPermit rateLimit;
  private boolean begun;
  private boolean bodyEnded;
  private @Nullable Verdict verdict;
  private @Nullable FinalReply pendingReply;
  private @Nullable DisconnectReason disconnectReason;
  private DetachedRequests.@Nullable Registration detached;

  /**
   * @param idempotency ends ahead of the charge
   * @param served what routing and the providers did, with a charge
   * @param now the loop's ticker
   */
  Finish(
      ExchangeContext context,
      ExchangeRequest request,
      ClientReply reply,
      IdempotencyGuard idempotency,
      Function<Charge, Served> served,
      LongSupplier now) {
    this.context = context;
    this.request = request;
    this.reply = reply;
    this.idempotency = idempotency;
    this.served = served;
    this.now = now;
    this.rateLimit = new RateLimitPermit(context.limits());
  }

  /** How the request ends, and what it is charged. */
  record Verdict(RequestOutcome outcome, @Nullable ErrorCode code, int status, Charge charge) {
    private Verdict uncharged() {
      return new Verdict(outcome, code, status, Charge.NOTHING);
    }

    private Verdict withoutClient(DisconnectReason reason) {
      return new Verdict(RequestOutcome.of(reason), null, status, charge);
    }

    private SettlementKind how() {
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
            code == null
                ? SettlementKind.ABANDONED
                : SettlementKind.PARTIAL; // null: nobody can be told
      };
    }
  }

  /** The request's money while it runs. */
  RequestReservation reservation() {
    return reservation;
  }

  /** The request's part of the limits while it runs. */
  RateLimitPermit rateLimit() {
    return rateLimit;
  }

  /** Whether the end has begun. */
  boolean hasBegun() {
    return begun;
  }

  /** Asks the limits of a model to fall back to; what they say after the end is not heard. */
  void checkFallbackLimits(
      ModelId model,
      Executor loop,
      Consumer<Runnable> guarded,
      Consumer<RateLimitPermit.Verdict> whenKnown) {
    rateLimit.acquireForFallback(
        request,
        model,
        loop,
        guarded,
        verdict -> {
          if (!begun) {
            whenKnown.accept(verdict);
          }
        });
  }

  /**
   * Ends the request.
   *
   * @param guarded runs a step so that a fault of ours does not go unnoticed
   * @param ended called when all is done, ahead of the record
   */
  void begin(Verdict decided, FinalReply finalReply, Consumer<Runnable> guarded, Runnable ended) {
    begun = true;
    verdict = decided;
    pendingReply = finalReply;
    endQuietly(this::endBody);
    endQuietly(() -> rateLimit.end(decided.charge().usage().computedTokens()));
    // Who dies in between has given something away, instead of charging for what nobody gets.
    idempotency.end(
        finalReply,
        () -> disconnectReason == null,
        () -> charge(decided, finalReply, guarded, ended),
        () -> charge(decided.uncharged(), finalReply, guarded, ended));
  }

  private void charge(
      Verdict decided, FinalReply finalReply, Consumer<Runnable> guarded, Runnable ended) {
    verdict = decided;
    long bytes =
        reply.bytesSent() + finalReply.bytes(); // of the row, which goes ahead of the reply
    reservation.end(
        decided.charge(),
        decided.how(),
        () -> context.rows().apply(record(decided, bytes)),
        () -> guarded.accept(() -> charged(decided, finalReply, ended)));
  }

  /** What cannot be ended is no reason not to charge. */
  private void endQuietly(Runnable end) {
    try {
      end.run();
    } catch (RuntimeException unexpected) {
      LOG.error("request {} holds more than it should", request.id(), unexpected);
    }
  }

  /** The client left, and what it waited for goes on: it is charged as decided, and not told. */
  void clientDisconnected(DisconnectReason reason) {
    disconnectReason = reason;
    detach();
  }

  /** A node that stops waits for the end, although no client does. */
  void detach() {
    if (detached == null) {
      detached = context.detached().register();
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
    observe(reason == null ? decided : decided.withoutClient(reason));
  }

  /** The way out did not hold either: whoever waits is told without any more, and it is over. */
  void forceFinish(boolean isClientConnected, Runnable ended) {
    begun = true;
    idempotency.abandon();
    reservation.abandon();
    if (pendingReply != null) {
      pendingReply.release();
      pendingReply = null;
    }
    rateLimit.end(0);
    endBody();
    ErrorCode code = FaultMapper.UNEXPECTED_FAILURE.code();
    int status = reply.isOpened() ? 200 : code.status();
    Charge charged = verdict == null ? Charge.NOTHING : verdict.charge();
    if (isClientConnected && disconnectReason == null) {
      reply.refuse(BrokenStream.unopened(FaultMapper.UNEXPECTED_FAILURE), List.of());
    }
    ended.run();
    observe(new Verdict(RequestOutcome.INTERNAL_ERROR, code, status, charged));
  }

  /** The provider has the request, which takes its time: nobody needs its bytes any more. */
  void written(InputImages images) {
    images.release();
    if (!bodyEnded) {
      request.body().releaseArray(0);
    }
  }

  private void endBody() {
    if (!bodyEnded) {
      bodyEnded = true;
      request.body().end();
    }
  }

  private void observe(Verdict decided) {
    DetachedRequests.Registration registration = detached;
    detached = null;
    try {
      context.observer().ended(record(decided, reply.bytesSent()));
    } finally {
      if (registration != null) {
        registration.end();
      }
    }
  }

  private RequestRecord record(Verdict decided, long responseBytes) {
    return request.record(
        decided.outcome(),
        decided.code(),
        decided.status(),
        served.apply(decided.charge()),
        responseBytes,
        now.getAsLong());
  }
}
