package dev.tollgate.server.ops;

import ch.qos.logback.classic.LoggerContext;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/**
 * The log of a process that is about to halt: nobody empties its rings any more, so they are
 * written out first. That takes only so long, for whoever reads the log may have stopped reading.
 */
public final class LogFlush {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private LogFlush() {}

  /** Writes out what was logged; nothing is logged afterwards. Blocks, and on no event loop. */
  public static void flush() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext log) {
      flush(log, TIMEOUT);
    }
  }

  static void flush(LoggerContext log, Duration timeout) {
    Thread writer = Thread.ofPlatform().name("last-words").daemon().start(log::stop);
    try {
      writer.join(timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
