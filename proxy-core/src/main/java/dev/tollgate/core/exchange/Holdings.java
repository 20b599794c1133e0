package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Reservation;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.Usage;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resources that one request holds while it runs: its body, the reservation of its worst-case cost
 * and its rate-limit permit. They are acquired first and ended last, each exactly once: body and
 * permit when the end begins, the reservation with the charge. Loop-confined.
 */
final class Holdings {
  private static final long PROGRESS_TOKENS_MIN = 256;
  private static final long PROGRESS_NANOS_MIN = Duration.ofSeconds(2).toNanos();

  private static final byte[] NO_ROW = {};
  private static final Logger LOG = LoggerFactory.getLogger(Holdings.class);

  private final ExchangeRequest request;
  private final RequestLoop loop;
  private final BodyWork work;
  private final RateLimitPermit rateLimit;
  private @Nullable Reservation reservation;
  private long reportedTokens;
  private long reportedNanos;
  private boolean ending;
  private boolean bodyEnded;

  Holdings(ExchangeContext context, ExchangeRequest request, RequestLoop loop) {
    this.request = request;
    this.loop = loop;
    this.work = new BodyWork(context.bodies(), request.body(), loop);
    this.rateLimit = new RateLimitPermit(context.admission().limits(), loop);
  }

  /** Returns the work over the request's body. */
  BodyWork work() {
    return work;
  }

  /** Returns the request's rate-limit permit. */
  RateLimitPermit rateLimit() {
    return rateLimit;
  }

  /** True once the end has begun: what is acquired later is ended at once. */
  boolean isEnding() {
    return ending;
  }

  /** Keeps a reservation. Returns false, and ends it, if the end has begun. */
  boolean reserved(Reservation granted) {
    loop.check();
    if (ending) {
      granted.release();
      return false;
    }
    reservation = granted;
    reportedNanos = loop.now();
    return true;
  }

  /** Writes the reservation to the journal: the limits accepted the request. */
  void confirm() {
    if (reservation != null) {
      reservation.begin();
    }
  }

  /**
   * Reports the charge of a stream so far to the journal, every 256 tokens or 2 s, so that a crash
   * loses no more than that.
   */
  void progress(long deliveredTokens, Supplier<Charge> chargeSoFar) {
    long now = loop.now();
    boolean due =
        deliveredTokens - reportedTokens >= PROGRESS_TOKENS_MIN
            || (now - reportedNanos >= PROGRESS_NANOS_MIN && deliveredTokens > reportedTokens);
    if (due && reservation != null) {
      reportedTokens = deliveredTokens;
      reportedNanos = now;
      Charge charge = chargeSoFar.get();
      reservation.progress(charge.cost(), tokens(charge.usage()));
    }
  }

  /** Releases the array of the body: the provider has the request, and none repeats it. */
  void releaseBodyArray() {
    if (!bodyEnded) {
      request.body().releaseArray(0);
    }
  }

  /** Begins the end: body and permit. A failure is logged, because the charge must still follow. */
  void endBodyAndPermit(long tokensUsed) {
    loop.check();
    ending = true;
    endQuietly(this::endBody);
    endQuietly(() -> rateLimit.end(tokensUsed));
  }

  private void endQuietly(Runnable end) {
    try {
      end.run();
    } catch (RuntimeException unexpected) {
      LOG.error("request {}: a resource was not released", request.id(), unexpected);
    }
  }

  private void endBody() {
    if (!bodyEnded) {
      bodyEnded = true;
      request.body().end();
    }
  }

  /**
   * Ends the reservation: released if nothing is charged, else settled.
   *
   * @param row makes the request's row in the request log
   * @param done called at once, or when the charge is durable
   */
  void settle(Charge charge, SettlementKind kind, Supplier<byte[]> row, Runnable done) {
    loop.check();
    Reservation open = reservation;
    if (open == null) {
      done.run();
      return;
    }
    if (charge.cost().isPositive()) {
      byte[] rowBytes = buildRow(row);
      reservation = null;
      open.settle(charge.cost(), tokens(charge.usage()), kind, rowBytes, done);
    } else {
      reservation = null;
      open.release();
      done.run();
    }
  }

  /** Returns an empty row if it cannot be written, because the charge must still follow. */
  private static byte[] buildRow(Supplier<byte[]> row) {
    try {
      return row.get();
    } catch (RuntimeException unexpected) {
      LOG.error("the request log row could not be built", unexpected);
      return NO_ROW;
    }
  }

  /** Ends everything that is still held, without a charge. */
  void abandon() {
    loop.check();
    ending = true;
    Reservation open = reservation;
    reservation = null;
    if (open != null) {
      open.release();
    }
    rateLimit.end(0);
    endBody();
  }

  private static Tokens tokens(Usage usage) {
    return new Tokens(
        usage.promptTokens(),
        usage.completionTokens(),
        usage.cachedTokens(),
        usage.reasoningTokens(),
        usage.estimated());
  }
}
