package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.catalog.Provider.ProviderTimeouts;
import java.time.Duration;

/**
 * Moves an attempt's clock while it reads an event stream (docs/decisions/retries.md#timeouts):
 * {@code first_token} until content, then {@code idle} from byte to byte and twice that for one
 * event, and after the finish a moment for the usage. Loop-confined.
 */
final class StreamClock {
  // The provider finished; it may still owe the usage chunk
  // (docs/decisions/disconnects.md#usage-after-the-finish).
  private static final Duration USAGE_MAX = Duration.ofSeconds(5);
  private static final long NO_EVENT = -1;

  private final AttemptClock clock;
  private final long idleNanos;
  private long eventSince = NO_EVENT;
  private boolean finishSeen;

  /** Starts with the head of the reply. */
  StreamClock(AttemptClock clock, ProviderTimeouts limits) {
    this.clock = clock;
    this.idleNanos = limits.idle().toNanos();
    clock.runFor(limits.firstToken());
  }

  /** A read brought bytes, and {@code reader} has seen them. */
  void bytesReceived(FlowReader reader) {
    if (reader.reply().finished()) {
      finish();
      return;
    }
    finishSeen = false;
    if (reader.reply().contentSeen()) {
      idle(reader.midEvent());
    }
  }

  private void finish() {
    if (!finishSeen) {
      finishSeen = true;
      clock.runFor(USAGE_MAX);
    }
  }

  private void idle(boolean midEvent) {
    long now = clock.now();
    eventSince = !midEvent ? NO_EVENT : eventSince == NO_EVENT ? now : eventSince;
    long nextByte = now + idleNanos;
    clock.runUntil(
        eventSince == NO_EVENT ? nextByte : Math.min(nextByte, eventSince + 2 * idleNanos));
  }

  /** Nobody asked for bytes for so long. */
  void paused(long nanos) {
    if (eventSince != NO_EVENT) {
      eventSince += nanos;
    }
  }
}
