package dev.tollgate.server.storage;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that wait for a thread of the disk. The thread takes them, or who waited gives up before:
 * then they are let go of at once, however long their task still stands in the queue.
 */
final class Handover {
  private final AtomicReference<@Nullable ByteBuf> bytes;

  Handover(ByteBuf bytes) {
    this.bytes = new AtomicReference<>(bytes);
  }

  /** The bytes, which are the caller's to release; null: they were let go of. */
  @Nullable ByteBuf take() {
    return bytes.getAndSet(null);
  }

  /** Releases what nobody has taken. */
  void release() {
    ByteBuf pending = take();
    if (pending != null) {
      pending.release();
    }
  }
}
