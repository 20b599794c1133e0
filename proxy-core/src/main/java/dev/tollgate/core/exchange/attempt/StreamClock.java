package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.catalog.Provider.ProviderTimeouts;
import java.time.Duration;

/**
 * Timeouts of an attempt that reads an event stream (docs/decisions/retries.md#timeouts). They are
 * {@code first_token} until content, then {@code idle} from byte to byte and twice that for one
 * event, and 5 s for the usage after the finish. Loop-confined.
 */
final class StreamClock {
  // After the finish the usage chunk may still be missing
  // (docs/decisions/disconnects.md#usage-after-the-finish).
  private static final Duration USAGE_MAX = Duration.ofSeconds(5);
  private static final long NO_EVENT = -1;

  private final AttemptClock clock;
  private final long idleNanos;
  private long eventSince = NO_EVENT;
  private boolean finishSeen;

  /** Starts when the head of the reply arrived. */
  StreamClock(AttemptClock clock, ProviderTimeouts limits) {
    this.clock = clock;
    this.idleNanos = limits.idle().toNanos();
    clock.runFor(limits.firstToken());
  }

  /** Moves the deadline after a read, whose bytes {@code reader} has parsed. */
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

  /** Extends the deadline of an event by a pause of reading. */
  void paused(long nanos) {
    if (eventSince != NO_EVENT) {
      eventSince += nanos;
    }
  }
}
