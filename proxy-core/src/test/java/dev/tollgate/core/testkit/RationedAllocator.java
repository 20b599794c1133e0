package dev.tollgate.core.testkit;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** An allocator that runs out of memory when a test wants it to. */
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

  /** So many buffers can be had, and then for so many times none. */
  public void ration(long buffers, long failing) {
    left = buffers;
    failures = failing;
  }

  /** Runs whenever a buffer is asked for. */
  public void onBuffer(Runnable callback) {
    onBuffer = callback;
  }

  /** Whether a buffer was asked for in vain. */
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
      throw new OutOfMemoryError("no direct memory, says the test");
    }
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
