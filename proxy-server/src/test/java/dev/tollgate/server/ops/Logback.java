package dev.tollgate.server.ops;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** Loggers as Logback has them, to which a test adds appenders. */
public final class Logback {
  private Logback() {}

  public static Logger logger(Class<?> owner) {
    return logger(owner.getName());
  }

  /** While another thread's first use of SLF4J looks for Logback, SLF4J hands out substitutes. */
  public static Logger logger(String name) {
    while (true) {
      if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
        return context.getLogger(name);
      }
      Thread.onSpinWait();
    }
  }
}
