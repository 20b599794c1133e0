package dev.tollgate.server.ops;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs handlers of the operating system signals SIGTERM, SIGINT and SIGHUP. The JDK has no
 * public API for them: {@code sun.misc.Signal} is called by reflection, because compiling against
 * it gives a warning that cannot be suppressed.
 */
public final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  /** Result of installing a handler. */
  private enum Handling {
    OURS,
    IGNORED,
    UNAVAILABLE
  }

  private Signals() {}

  /** Runs {@code stop} on SIGTERM and SIGINT. */
  public static void onStop(Runnable stop) {
    on("TERM", stop);
    on("INT", stop);
  }

  /**
   * Runs {@code reload} on SIGHUP, if the system has it. The JVM leaves a signal ignored that its
   * parent ignores, as {@code nohup} does.
   */
  public static void onHangUp(Runnable reload) {
    if (on("HUP", reload) == Handling.IGNORED) {
      LOG.warn(
          "SIGHUP is ignored, as this process inherited it (nohup): it does not reload the"
              + " configuration; tollgate reload does");
    }
  }

  private static Handling on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object ours =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> invoke(self, method.getName(), arguments, action));
      Object before =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
      boolean ignored = handler.getField("SIG_IGN").get(null).equals(before);
      return ignored ? Handling.IGNORED : Handling.OURS;
    } catch (InvocationTargetException e) {
      LOG.warn("signal {} is not available: {}", name, String.valueOf(e.getCause()));
    } catch (ReflectiveOperationException e) {
      LOG.warn("signals are not available: {}", e.toString());
    }
    return Handling.UNAVAILABLE;
  }

  private static Object invoke(Object self, String method, Object[] arguments, Runnable action) {
    return switch (method) {
      case "equals" -> System.identityHashCode(self) == System.identityHashCode(arguments[0]);
      case "hashCode" -> System.identityHashCode(self);
      case "toString" -> "signal handler";
      default -> {
        action.run();
        yield self;
      }
    };
  }
}
