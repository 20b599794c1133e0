package dev.tollgate.core.sse;

import io.netty.buffer.ByteBuf;

/**
 * Base class of stream decoders that parse arrays: off-heap reads are copied into an array of the
 * thread.
 */
public abstract class ArrayDecoder implements StreamDecoder {
  @Override
  public final void feed(ByteBuf in) {
    if (in.hasArray()) {
      int from = in.arrayOffset() + in.readerIndex();
      read(in.array(), from, from + in.readableBytes());
      in.skipBytes(in.readableBytes());
      return;
    }
    ReadScratch scratch = ReadScratch.acquire();
    try {
      while (in.isReadable()) {
        read(scratch.bytes(), 0, scratch.fill(in));
      }
    } finally {
      scratch.release();
    }
  }

  abstract void read(byte[] bytes, int from, int to);
}
