package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import java.util.Locale;

/** How a request ended: the closed list of the access log's and the metrics' {@code outcome}. */
public enum RequestOutcome {
  OK,
  OK_ESTIMATED,
  /** With what was stored for its idempotency key: nothing was done. */
  REPLAYED,
  REJECTED,
  CLIENT_ABORT,
  CLIENT_STALLED,
  CLIENT_SLOW,
  PROVIDER_UNAVAILABLE,
  PROVIDER_TIMEOUT,
  PROVIDER_DISCONNECT,
  PROVIDER_ERROR,
  PROVIDER_REJECTED,
  PROVIDER_AUTH,
  PROVIDER_RATE_LIMITED,
  STREAM_INTERRUPTED,
  DEPENDENCY_DOWN,
  SHED,
  DRAINED,
  INTERNAL_ERROR;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The ending of a request whose client left first. */
  public static RequestOutcome of(DisconnectReason reason) {
    return switch (reason) {
      case ABORTED -> CLIENT_ABORT;
      case STALLED -> CLIENT_STALLED;
      case SHED -> SHED;
    };
  }

  public String wire() {
    return wire;
  }
}
