package dev.tollgate.core.testkit;

import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that leaves a buffer or a TLS engine open. Found by JUnit through
 * META-INF/services, so it holds for every test of every module.
 */
public final class LeakCheck implements AfterAllCallback {
  /** How long closing connections have to let go of their buffers. */
  static final String GRACE_MILLIS = "tollgate.leaks.grace";

  private static final int SHOWN_MAX = 5;

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    Class<?> tests = context.getRequiredTestClass();
    if (context.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      return; // a nested class: the class around it may share its connections with it
    }
    requireDetector();
    int graceMillis =
        context.getConfigurationParameter(GRACE_MILLIS, Integer::valueOf).orElse(5_000);
    List<LeakDetector.Opened> open = LeakDetector.takeOpen(graceMillis);
    if (!open.isEmpty()) {
      AssertionError leak =
          new AssertionError("LEAK: " + tests.getName() + " left " + open.size() + " open");
      open.stream().limit(SHOWN_MAX).forEach(leak::addSuppressed);
      throw leak;
    }
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
