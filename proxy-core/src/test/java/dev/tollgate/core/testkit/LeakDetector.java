package dev.tollgate.core.testkit;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Leak detector without sampling: every buffer and engine counts as open from its creation to its
 * release. Netty's own waits for the garbage collector to find some. Installed for all tests by
 * {@code -Dio.netty.customResourceLeakDetector}; {@link LeakCheck} queries it after each test
 * class.
 */
public final class LeakDetector<T> extends ResourceLeakDetector<T> {
  private static final Set<Tracker<?>> OPEN = ConcurrentHashMap.newKeySet();
  private static final Object EMPTIED = new Object();

  private final String resource;

  /** Called by Netty, by reflection. */
  public LeakDetector(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
    this.resource = resourceType.getSimpleName();
  }

  /** Called by Netty, by reflection, with the obsolete number of resources. */
  public LeakDetector(Class<?> resourceType, int samplingInterval, long activeMax) {
    this(resourceType, samplingInterval);
  }

  @Override
  public ResourceLeakTracker<T> track(T opened) {
    Tracker<T> tracker = new Tracker<>(new Opened(resource));
    OPEN.add(tracker);
    return tracker;
  }

  @Override
  public ResourceLeakTracker<T> trackForcibly(T opened) {
    return track(opened);
  }

  @Override
  public boolean isRecordEnabled() {
    return false;
  }

  /**
   * Returns and clears what is open, after a grace period for closing connections. Resources opened
   * by a static initializer last as long as their class and are not leaks.
   */
  static List<Opened> takeOpen(long graceMillis) throws InterruptedException {
    OPEN.removeIf(tracker -> tracker.opened.byStaticInitializer());
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMillis);
    synchronized (EMPTIED) {
      long left = graceMillis;
      while (!OPEN.isEmpty() && left > 0) {
        EMPTIED.wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      }
    }
    List<Opened> open = new ArrayList<>();
    for (Iterator<Tracker<?>> all = OPEN.iterator(); all.hasNext(); ) {
      open.add(all.next().opened);
      all.remove();
    }
    return open;
  }

  /** Where a resource was opened. */
  static final class Opened extends Throwable {
    private static final long serialVersionUID = 1L;

    Opened(String resource) {
      super("a " + resource + " was opened by " + Thread.currentThread().getName());
    }

    boolean byStaticInitializer() {
      for (StackTraceElement frame : getStackTrace()) {
        if (frame.getMethodName().equals("<clinit>")) {
          return true;
        }
      }
      return false;
    }
  }

  private static final class Tracker<T> implements ResourceLeakTracker<T> {
    private final Opened opened;

    Tracker(Opened opened) {
      this.opened = opened;
    }

    @Override
    public void record() {}

    @Override
    public void record(Object hint) {}

    @Override
    public boolean close(T closed) {
      boolean first = OPEN.remove(this);
      if (first && OPEN.isEmpty()) {
        synchronized (EMPTIED) {
          EMPTIED.notifyAll();
        }
      }
      return first;
    }
  }
}
