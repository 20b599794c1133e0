package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how the client left, and how long its provider is heard out then (DECISIONS 3).
 * Loop-confined.
 */
final class Departure {
  private static final Duration HEARING_MAX = Duration.ofSeconds(5);

  private @Nullable ClientExit exit;
  private DrainQuota.@Nullable Place openStream;

  void left(ClientExit how) {
    exit = how;
  }

  boolean hasLeft() {
    return exit != null;
  }

  /** How a request ends that went well but for that. */
  Ending or(Ending good) {
    return exit == null ? good : Ending.of(exit);
  }

  /** How a request ends that nobody waits for. */
  Ending ending() {
    return Ending.of(exit == null ? ClientExit.ABORTED : exit);
  }

  /** A stream flows. */
  void opened(DrainQuota.Place place) {
    openStream = place;
  }

  /** It does not flow any more. */
  void endStream() {
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
  }

  /**
   * How long a provider is heard whose stream flows; empty: not at all.
   *
   * @param finished whether it owes nothing any more but the usage
   */
  Optional<Duration> hearing(boolean finished, OnDisconnect policy) {
    if (finished) {
      return Optional.of(HEARING_MAX);
    }
    return switch (policy) {
      case OnDisconnect.Cancel _ -> Optional.empty();
      case OnDisconnect.Drain drain ->
          openStream != null && openStream.tryDrain(drain.share())
              ? Optional.of(drain.time())
              : Optional.empty();
    };
  }
}
