package dev.tollgate.server.ops;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** Logback's loggers, to which a test adds appenders. */
public final class Logback {
  private Logback() {}

  public static Logger logger(Class<?> owner) {
    return logger(owner.getName());
  }

  /** While another thread initializes SLF4J, it hands out substitute loggers. */
  public static Logger logger(String name) {
    while (true) {
      if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
        return context.getLogger(name);
      }
      Thread.onSpinWait();
    }
  }
}
