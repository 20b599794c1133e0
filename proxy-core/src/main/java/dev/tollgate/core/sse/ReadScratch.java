package dev.tollgate.core.sse;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * One array per thread that reads outside the heap are copied into to be parsed, so that an open
 * stream holds none of its own. Whoever takes it gives it back; a nested taker gets a fresh one.
 */
final class ReadScratch {
  private static final int BYTES = 64 * 1024;
  private static final FastThreadLocal<ReadScratch> OF_THREAD =
      new FastThreadLocal<>() {
        @Override
        protected ReadScratch initialValue() {
          return new ReadScratch();
        }
      };

  private final byte[] bytes = new byte[BYTES];
  private boolean inUse;

  static ReadScratch acquire() {
    ReadScratch scratch = OF_THREAD.get();
    if (scratch.inUse) {
      scratch = new ReadScratch();
    }
    scratch.inUse = true;
    return scratch;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Takes the next bytes out of a buffer and tells how many. */
  int fill(ByteBuf in) {
    int count = Math.min(in.readableBytes(), BYTES);
    in.readBytes(bytes, 0, count);
    return count;
  }

  void release() {
    inUse = false;
  }
}
