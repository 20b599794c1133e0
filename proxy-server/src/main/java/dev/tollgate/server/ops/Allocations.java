package dev.tollgate.server.ops;

import com.sun.management.ThreadMXBean;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProcessFamily;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Metrics of the heap bytes allocated by event loop threads and by all other threads. They are not
 * registered if the JVM does not report allocations.
 */
public final class Allocations {
  private final ThreadMXBean threads;
  private final long[] loops;

  private Allocations(ThreadMXBean threads, long[] loops) {
    this.threads = threads;
    this.loops = loops;
  }

  /** Registers the metric; starts threads of event loops that have not started. */
  public static void show(Metrics metrics, Iterable<? extends EventExecutor> loops) {
    if (ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
        && threads.isThreadAllocatedMemorySupported()) {
      var allocations = new Allocations(threads, ids(loops));
      metrics.counters(ProcessFamily.ALLOCATED_BYTES, allocations::totals);
    }
  }

  private static long[] ids(Iterable<? extends EventExecutor> loops) {
    List<Long> ids = new ArrayList<>();
    for (EventExecutor loop : loops) {
      if (loop instanceof SingleThreadEventExecutor single) {
        ids.add(single.threadProperties().id());
      }
    }
    return ids.stream().mapToLong(Long::longValue).toArray();
  }

  private Map<List<String>, Long> totals() {
    // The JVM returns -1 for a thread that has ended.
    long ofLoops =
        Arrays.stream(threads.getThreadAllocatedBytes(loops)).filter(bytes -> bytes > 0).sum();
    long all = Math.max(ofLoops, threads.getTotalThreadAllocatedBytes());
    return Map.of(List.of("loop"), ofLoops, List.of("other"), all - ofLoops);
  }
}
