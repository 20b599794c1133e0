package dev.tollgate.core.testkit;

import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test class that leaves a buffer or a TLS engine open. Of classes that run side by side
 * the last one to end answers for all, and names them: what was opened says where. Found by JUnit
 * through META-INF/services, so it holds for every test of every module.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  /** How long closing connections have to let go of their buffers. */
  static final String GRACE_MILLIS = "tollgate.leaks.grace";

  private static final int SHOWN_MAX = 5;
  private static final Namespace SPACE = Namespace.create(LeakCheck.class);

  /** The classes that run now, and those that did since nothing ran: of one run of tests. */
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
    // Who begins meanwhile waits: what it opens is none of these classes'.
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

  /** Without the detector nothing would ever be open. */
  private static void requireDetector() {
    Object detector =
        ResourceLeakDetectorFactory.instance().newResourceLeakDetector(LeakCheck.class);
    if (!(detector instanceof LeakDetector)) {
      throw new AssertionError(
          "run tests with -Dio.netty.customResourceLeakDetector=" + LeakDetector.class.getName());
    }
  }
}
