package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.Charge;
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
 * A request's reservation while it runs: says now and then what a stream is worth so far, and ends
 * once. Loop-confined.
 */
final class RequestReservation {
  private static final long PROGRESS_TOKENS_MIN = 256;
  private static final long PROGRESS_NANOS_MIN = Duration.ofSeconds(2).toNanos();

  private static final byte[] NO_ROW = {};
  private static final Logger LOG = LoggerFactory.getLogger(RequestReservation.class);

  private @Nullable Reservation reservation;
  private long reportedTokens;
  private long reportedNanos;

  /** The money is set aside. */
  void begin(Reservation granted, long nowNanos) {
    reservation = granted;
    reportedNanos = nowNanos;
  }

  /** The request goes ahead. */
  void confirm() {
    if (reservation != null) {
      reservation.begin();
    }
  }

  /** A stream brought more; every so often what it is worth is written down. */
  void progress(long deliveredTokens, long nowNanos, Supplier<Charge> chargeSoFar) {
    boolean due =
        deliveredTokens - reportedTokens >= PROGRESS_TOKENS_MIN
            || (nowNanos - reportedNanos >= PROGRESS_NANOS_MIN && deliveredTokens > reportedTokens);
    if (due && reservation != null) {
      reportedTokens = deliveredTokens;
      reportedNanos = nowNanos;
      Charge charge = chargeSoFar.get();
      reservation.progress(charge.cost(), tokens(charge.usage()));
    }
  }

  /**
   * Ends it: released where nothing is charged, else settled.
   *
   * @param row makes the request's line in the request log
   * @param done called at once, or when the charge is durable
   */
  void end(Charge charge, SettlementKind how, Supplier<byte[]> row, Runnable done) {
    Reservation open = reservation;
    if (open == null) {
      done.run();
      return;
    }
    if (charge.cost().isPositive()) {
      byte[] rowBytes = buildRow(row);
      reservation = null;
      open.settle(charge.cost(), tokens(charge.usage()), how, rowBytes, done);
    } else {
      reservation = null;
      open.release();
      done.run();
    }
  }

  /** A line that cannot be written is no reason not to charge. */
  private static byte[] buildRow(Supplier<byte[]> row) {
    try {
      return row.get();
    } catch (RuntimeException unexpected) {
      LOG.error("a request's line for the log could not be made", unexpected);
      return NO_ROW;
    }
  }

  /** Ends it without a charge if nothing else ended it. */
  void abandon() {
    Reservation open = reservation;
    reservation = null;
    if (open != null) {
      open.release();
    }
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
