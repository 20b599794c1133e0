package dev.tollgate.core.testkit;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Allocator that runs out of memory on request. */
public final class RationedAllocator extends AbstractByteBufAllocator {
  private final ByteBufAllocator inner;
  private long left = Long.MAX_VALUE;
  private long failures;
  private boolean failed;
  private Runnable onBuffer = () -> {};

  public RationedAllocator(ByteBufAllocator inner) {
    super(false);
    this.inner = inner;
  }

  /** Allows {@code buffers} allocations and then fails {@code failing} times. */
  public void ration(long buffers, long failing) {
    left = buffers;
    failures = failing;
  }

  /** Runs a callback at every allocation. */
  public void onBuffer(Runnable callback) {
    onBuffer = callback;
  }

  /** True if an allocation has failed. */
  public boolean hasFailed() {
    return failed;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    take();
    return inner.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    take();
    return inner.directBuffer(initialCapacity, maxCapacity);
  }

  private void take() {
    onBuffer.run();
    if (left > 0) {
      left--;
    } else if (failures > 0) {
      failures--;
      failed = true;
      throw new OutOfMemoryError("no direct memory, by the test's limit");
    }
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
