package dev.tollgate.server.ops;

import ch.qos.logback.classic.LoggerContext;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/**
 * The log of a process that is about to halt: nobody empties its rings any more, so they are
 * written out first. That takes only so long, for whoever reads the log may have stopped reading.
 */
public final class LastWords {
  private static final Duration AT_MOST = Duration.ofSeconds(1);

  private LastWords() {}

  /** Writes out what was logged; nothing is logged afterwards. Blocks, and on no event loop. */
  public static void writeOut() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext log) {
      writeOut(log, AT_MOST);
    }
  }

  static void writeOut(LoggerContext log, Duration atMost) {
    Thread writer = Thread.ofPlatform().name("last-words").daemon().start(log::stop);
    try {
      writer.join(atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
