package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.Ending;
import dev.tollgate.core.exchange.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.pipeline.Progress.Authenticated;
import dev.tollgate.core.pipeline.Progress.Received;
import dev.tollgate.core.pipeline.Progress.Routed;
import dev.tollgate.core.tenant.ApiKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The record of a request that ended before an exchange had it: refused, or its client left. */
final class EarlyRecord {
  private static final String NO_ROUTE = "other";

  private EarlyRecord() {}

  static RequestRecord of(
      Progress progress,
      Ending ending,
      int status,
      @Nullable ErrorCode code,
      long nowNanos,
      long requestBytes,
      long responseBytes) {
    Received received = progress.received();
    return new RequestRecord(
        received.id(),
        Duration.ofNanos(nowNanos - received.atNanos()),
        received.client().text(),
        received.head().method(),
        route(progress),
        status,
        ending,
        code,
        key(progress),
        null,
        requestBytes,
        responseBytes);
  }

  private static String route(Progress progress) {
    return switch (progress) {
      case Received _ -> NO_ROUTE;
      case Routed routed -> routed.match().endpoint().path();
      case Authenticated authenticated -> route(authenticated.routed());
    };
  }

  private static @Nullable ApiKey key(Progress progress) {
    return switch (progress) {
      case Received _ -> null;
      case Routed _ -> null;
      case Authenticated authenticated -> authenticated.key();
    };
  }
}
