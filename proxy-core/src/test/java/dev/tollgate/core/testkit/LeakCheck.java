package dev.tollgate.core.testkit;

import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test class that leaves a buffer or a TLS engine open. Of concurrent classes the last one
 * to end reports for all, and names them; the stack trace of the opening shows the place. Found by
 * JUnit through META-INF/services, so it holds for every test of every module.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  /** Time that closing connections have to release their buffers. */
  static final String GRACE_MILLIS = "tollgate.leaks.grace";

  private static final int SHOWN_MAX = 5;
  private static final Namespace SPACE = Namespace.create(LeakCheck.class);

  /**
   * Classes that run now, and those that ran since the last moment without any: of one test run.
   */
  private static final class ConcurrentClasses {
    private int running;
    private final List<String> names = new ArrayList<>();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (isNested(context)) {
      return;
    }
    ConcurrentClasses concurrent = concurrentClasses(context);
    synchronized (concurrent) {
      concurrent.running++;
      concurrent.names.add(context.getRequiredTestClass().getName());
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    if (isNested(context)) {
      return;
    }
    requireDetector();
    int graceMillis =
        context.getConfigurationParameter(GRACE_MILLIS, Integer::valueOf).orElse(5_000);
    ConcurrentClasses concurrent = concurrentClasses(context);
    // A class that begins meanwhile waits, so that its buffers are not attributed to these classes.
    synchronized (concurrent) {
      concurrent.running--;
      if (concurrent.running > 0) {
        return;
      }
      List<String> names = List.copyOf(concurrent.names);
      concurrent.names.clear();
      requireNoneOpen(names, LeakDetector.takeOpen(graceMillis));
    }
  }

  /** The class around a nested one may share its connections with it. */
  private static boolean isNested(ExtensionContext context) {
    return context.getParent().flatMap(ExtensionContext::getTestClass).isPresent();
  }

  private static ConcurrentClasses concurrentClasses(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(SPACE)
        .computeIfAbsent(
            ConcurrentClasses.class, _ -> new ConcurrentClasses(), ConcurrentClasses.class);
  }

  private static void requireNoneOpen(List<String> names, List<LeakDetector.Opened> open) {
    if (open.isEmpty()) {
      return;
    }
    AssertionError leak =
        new AssertionError("LEAK: " + String.join(", ", names) + " left " + open.size() + " open");
    open.stream().limit(SHOWN_MAX).forEach(leak::addSuppressed);
    throw leak;
  }

  /** Without the detector no leak would ever be found. */
  private static void requireDetector() {
    Object detector =
        ResourceLeakDetectorFactory.instance().newResourceLeakDetector(LeakCheck.class);
    if (!(detector instanceof LeakDetector)) {
      throw new AssertionError(
          "run tests with -Dio.netty.customResourceLeakDetector=" + LeakDetector.class.getName());
    }
  }
}
