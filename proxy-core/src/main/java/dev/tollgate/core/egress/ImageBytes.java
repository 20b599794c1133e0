package dev.tollgate.core.egress;

import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongPredicate;

/** The image that one reply brings, in one array under a limit and a budget. Loop-confined. */
final class ImageBytes {
  private static final int CAPACITY_FIRST = 16 * 1024;

  /** How many of a file's first bytes say what it is. */
  private static final int SIGNATURE_BYTES = 12;

  private static final byte[] NONE = {};

  private final int bytesMax;
  private final LongPredicate room;
  private byte[] bytes = NONE;
  private int length;

  /** What is wrong with it. */
  enum Flaw {
    TOO_LARGE,
    NO_ROOM,
    NO_IMAGE
  }

  /**
   * @param room makes room for so many bytes in all, or says that there is none
   */
  ImageBytes(int bytesMax, LongPredicate room) {
    this.bytesMax = bytesMax;
    this.room = room;
  }

  int length() {
    return length;
  }

  /** Adds bytes, which stay the caller's; what is no image is found out by its first ones. */
  Optional<Flaw> add(ByteBuf more) {
    int count = more.readableBytes();
    if (count > bytesMax - length) {
      return Optional.of(Flaw.TOO_LARGE);
    }
    if (length + count > bytes.length && !grow(length + count)) {
      return Optional.of(Flaw.NO_ROOM);
    }
    boolean wasUndetermined = length < SIGNATURE_BYTES;
    more.readBytes(bytes, length, count);
    length += count;
    boolean isDetermined = wasUndetermined && length >= SIGNATURE_BYTES;
    return isDetermined && type().isEmpty() ? Optional.of(Flaw.NO_IMAGE) : Optional.empty();
  }

  // Never by what a header claims: that costs its sender nothing.
  private boolean grow(int capacityMin) {
    long doubled = Math.max(CAPACITY_FIRST, 2L * bytes.length);
    int capacity = (int) Math.min(bytesMax, Math.max(capacityMin, doubled));
    if (!room.test(capacity)) {
      return false;
    }
    bytes = Arrays.copyOf(bytes, capacity);
    return true;
  }

  /** Returns the collected image, or empty if the bytes are of no known image type. */
  Optional<FetchResult.Image> toImage() {
    return type().map(it -> new FetchResult.Image(bytes, length, it));
  }

  private Optional<BlobType> type() {
    return BlobType.ofImage(Unpooled.wrappedBuffer(bytes, 0, length));
  }
}
