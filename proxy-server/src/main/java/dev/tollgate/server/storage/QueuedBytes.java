package dev.tollgate.server.storage;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Buffer of bytes in the queue of the disk threads, taken or released once. Either the thread takes
 * them or the waiter releases them on a timeout, at once, even if the task stays in the queue.
 */
final class QueuedBytes {
  private final AtomicReference<@Nullable ByteBuf> bytes;

  QueuedBytes(ByteBuf bytes) {
    this.bytes = new AtomicReference<>(bytes);
  }

  /** Takes the bytes, which the caller releases; null if they were released. */
  @Nullable ByteBuf take() {
    return bytes.getAndSet(null);
  }

  /** Releases the bytes if they were not taken. */
  void release() {
    ByteBuf pending = take();
    if (pending != null) {
      pending.release();
    }
  }
}
