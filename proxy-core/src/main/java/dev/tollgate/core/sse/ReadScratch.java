package dev.tollgate.core.sse;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * Reusable array of a thread into which stream decoders copy off-heap reads, so that an open stream
 * holds none of its own. The user returns it; nested uses get a new one.
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

  /** Copies the next bytes of a buffer and returns their number. */
  int fill(ByteBuf in) {
    int count = Math.min(in.readableBytes(), BYTES);
    in.readBytes(bytes, 0, count);
    return count;
  }

  void release() {
    inUse = false;
  }
}
