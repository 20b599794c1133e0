package dev.tollgate.core.json;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the output of a {@link JsonSplice}, which joins adjacent ranges of the source before it
 * writes them.
 */
abstract sealed class SpliceWriter {
  private static final byte[] NONE = {};

  private byte[] pending = NONE;
  private int from;
  private int to;

  final void add(byte[] bytes, int addedFrom, int addedTo) {
    if (addedFrom == to && isPending(bytes)) {
      to = addedTo;
      return;
    }
    flush();
    pending = bytes;
    from = addedFrom;
    to = addedTo;
  }

  /** True if it is the same array, not an equal one. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isPending(byte[] bytes) {
    return bytes == pending;
  }

  final void add(JsonBytes json) {
    add(json.bytes(), json.from(), json.to());
  }

  final void flush() {
    if (to > from) {
      put(pending, from, to);
    }
    pending = NONE;
    from = 0;
    to = 0;
  }

  abstract void put(byte[] bytes, int from, int to);

  /** Copies everything into one buffer. */
  static final class Copy extends SpliceWriter {
    private final ByteBuf out;

    Copy(ByteBuf out) {
      this.out = out;
    }

    @Override
    void put(byte[] bytes, int from, int to) {
      out.writeBytes(bytes, from, to - from);
    }
  }

  /** Wraps long ranges without a copy and gathers the short ones between them. */
  static final class Wrap extends SpliceWriter {
    private static final int WRAPPED_BYTES_MIN = 1_024;

    private final List<ByteBuf> buffers = new ArrayList<>();
    private @Nullable ByteBuf small;

    @Override
    void put(byte[] bytes, int from, int to) {
      if (to - from >= WRAPPED_BYTES_MIN) {
        buffers.add(Unpooled.wrappedBuffer(bytes, from, to - from));
        small = null;
        return;
      }
      if (small == null) {
        small = Unpooled.buffer(2 * (to - from));
        buffers.add(small);
      }
      small.writeBytes(bytes, from, to - from);
    }

    List<ByteBuf> buffers() {
      flush();
      return buffers;
    }
  }

  /** Counts the bytes of the output. */
  static final class Count extends SpliceWriter {
    private int sum;

    @Override
    void put(byte[] bytes, int from, int to) {
      sum = Math.addExact(sum, to - from);
    }

    int sum() {
      flush();
      return sum;
    }
  }
}
