package dev.tollgate.server.jobs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Random;

/** Ports under whose callers the ground may give way at any call, before or after its effect. */
final class FailingPorts {
  private static final int ONE_IN = 12;

  private FailingPorts() {}

  /** The end of a process. */
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
