package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import java.util.Locale;

/** Outcome of a request: the closed list of {@code outcome} in the access log and the metrics. */
public enum RequestOutcome {
  OK,
  OK_ESTIMATED,
  /** The stored reply of its idempotency key was sent; nothing was executed. */
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

  /** Returns the outcome of a request whose client disconnected. */
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
