package dev.tollgate.server.ops;

import ch.qos.logback.classic.LoggerContext;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/**
 * Writes buffered log events before the process halts, when the writer threads of {@link
 * RingAppender} no longer run. The time is bounded, because the reader of the log may have stopped
 * reading.
 */
public final class LogFlush {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private LogFlush() {}

  /**
   * Writes what is in the rings; later log events are lost. Calls block, so never call it on an
   * event loop.
   */
  public static void flush() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext log) {
      flush(log, TIMEOUT);
    }
  }

  static void flush(LoggerContext log, Duration timeout) {
    Thread writer = Thread.ofPlatform().name("log-flush").daemon().start(log::stop);
    try {
      writer.join(timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
