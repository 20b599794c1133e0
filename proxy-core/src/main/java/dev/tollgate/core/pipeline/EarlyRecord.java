package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import dev.tollgate.core.pipeline.RequestProgress.Named;
import dev.tollgate.core.pipeline.RequestProgress.Probe;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import dev.tollgate.core.tenant.ApiKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Factory of the records of requests that ended in the pipeline, before the exchange received them:
 * refused ones, and those whose client disconnected.
 */
final class EarlyRecord {
  private static final String NO_ROUTE = "other";

  private EarlyRecord() {}

  /** Returns the record of a request that a handler answered. */
  static RequestRecord answered(
      ClientConnection connection,
      RequestProgress progress,
      int status,
      @Nullable ErrorCode code,
      long responseBytes,
      long nowNanos) {
    boolean isFine = code == null && status < 400;
    RequestOutcome outcome = isFine ? RequestOutcome.OK : connection.refusalOutcome();
    return of(progress, outcome, status, code, nowNanos, connection.requestBytes(), responseBytes);
  }

  /**
   * Returns the record of a request whose connection closed before its reply was complete.
   *
   * @param status of the reply that had begun; 0 if none had
   */
  static RequestRecord unanswered(
      ClientConnection connection,
      RequestProgress progress,
      int status,
      long responseBytes,
      long nowNanos) {
    RequestOutcome outcome =
        connection.refusalOutcome() == RequestOutcome.REJECTED
            ? RequestOutcome.CLIENT_ABORT
            : connection.refusalOutcome();
    return of(progress, outcome, status, null, nowNanos, connection.requestBytes(), responseBytes);
  }

  private static RequestRecord of(
      RequestProgress progress,
      RequestOutcome outcome,
      int status,
      @Nullable ErrorCode code,
      long nowNanos,
      long requestBytes,
      long responseBytes) {
    Received received = progress.received();
    return new RequestRecord(
        received.id(),
        Duration.ofNanos(nowNanos - received.atNanos()),
        new RequestRecord.HttpSummary(
            received.client().text(),
            received.head().method(),
            route(progress),
            status,
            requestBytes,
            responseBytes),
        outcome,
        code,
        null,
        key(progress),
        null);
  }

  private static String route(RequestProgress progress) {
    return switch (progress) {
      case Received _, Probe _ -> NO_ROUTE;
      case Routed routed -> routed.match().endpoint().path();
      case Named named -> named.route();
      case Authenticated authenticated -> route(authenticated.routed());
    };
  }

  private static @Nullable ApiKey key(RequestProgress progress) {
    return switch (progress) {
      case Received _ -> null;
      case Probe _ -> null;
      case Routed _ -> null;
      case Named _ -> null;
      case Authenticated authenticated -> authenticated.key();
    };
  }
}
