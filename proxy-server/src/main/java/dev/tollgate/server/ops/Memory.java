package dev.tollgate.server.ops;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import com.sun.management.HotSpotDiagnosticMXBean;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Load signals of heap and direct memory, each in use as a share of what the JVM may use. */
public final class Memory {
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).stream()
          .filter(bean -> frees(bean.getName()))
          .toList();
  private final Set<String> heapPools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toUnmodifiableSet());
  private final long heapMax = Runtime.getRuntime().maxMemory();
  private final long directMax = directMax();
  private final PooledByteBufAllocator buffers;
  private long collections;
  private boolean isNew;
  private double heap;

  public Memory(PooledByteBufAllocator buffers) {
    this.buffers = buffers;
  }

  /** True if this collector reclaims memory: the beans of the pauses of G1 and ZGC do not. */
  static boolean frees(String collector) {
    return !collector.equals("G1 Concurrent GC") && !collector.endsWith("Pauses");
  }

  /**
   * Returns the live data after the last collection: of what is used now, most is garbage. For one
   * thread.
   */
  public double heap() {
    long now = 0;
    for (GarbageCollectorMXBean collector : collectors) {
      now += collector.getCollectionCount();
    }
    // The query is expensive, and its result may lag behind the count of collections by a moment.
    if (now != collections || isNew) {
      isNew = now != collections;
      collections = now;
      heap = heapAfterLastCollection();
    }
    return heap;
  }

  private double heapAfterLastCollection() {
    GcInfo last = null;
    for (GarbageCollectorMXBean collector : collectors) {
      GcInfo info = collector.getLastGcInfo();
      if (info != null && (last == null || info.getEndTime() > last.getEndTime())) {
        last = info;
      }
    }
    return last == null ? 0 : (double) usedAfter(last) / heapMax;
  }

  private long usedAfter(GcInfo collection) {
    return collection.getMemoryUsageAfterGc().entrySet().stream()
        .filter(pool -> heapPools.contains(pool.getKey()))
        .mapToLong(pool -> pool.getValue().getUsed())
        .sum();
  }

  /** Returns the buffers in use; memory that the allocator caches beside them can be reused. */
  public double direct() {
    return (double) buffers.pinnedDirectMemory() / directMax;
  }

  /** Returns the bytes that the JVM may allocate outside of its heap. */
  public static long directMax() {
    long configured = option("MaxDirectMemorySize");
    return configured > 0 ? configured : Runtime.getRuntime().maxMemory();
  }

  /**
   * Returns the region size of G1: an array above half of a region takes whole regions. 0 with
   * other collectors.
   */
  public static int heapRegionBytes() {
    return (int) option("G1HeapRegionSize");
  }

  private static long option(String name) {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    return Long.parseLong(options.getVMOption(name).getValue());
  }
}
