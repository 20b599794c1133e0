package dev.tollgate.server.jobs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Random;

/** Ports that fail at a chosen call, before or after its effect. */
final class FailingPorts {
  private static final int ONE_IN = 12;

  private FailingPorts() {}

  /** Simulated end of the process. */
  static final class Death extends Error {
    private static final long serialVersionUID = 1;
  }

  static <T> T wrap(Class<T> port, T behind, Random random) {
    Object dying =
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (_, method, arguments) -> {
              die(random);
              try {
                Object answer = method.invoke(behind, arguments);
                die(random);
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return port.cast(dying);
  }

  private static void die(Random random) {
    if (random.nextInt(ONE_IN) == 0) {
      throw new Death();
    }
  }
}
