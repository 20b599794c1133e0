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

  private Signals() {}

  /** Runs {@code stop} on SIGTERM and SIGINT. */
  public static void onStop(Runnable stop) {
    on("TERM", stop);
    on("INT", stop);
  }

  /** Runs {@code reload} on SIGHUP, if the system has it. */
  public static void onHangUp(Runnable reload) {
    on("HUP", reload);
  }

  private static void on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object ours =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> invoke(self, method.getName(), arguments, action));
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
    } catch (InvocationTargetException e) {
      LOG.warn("signal {} is not available: {}", name, String.valueOf(e.getCause()));
    } catch (ReflectiveOperationException e) {
      LOG.warn("signals are not available: {}", e.toString());
    }
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
