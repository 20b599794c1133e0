package dev.tollgate.core.egress;

import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Collects the bytes of one downloaded image in an array, under a size limit and a memory budget.
 * Confined to its event loop.
 */
final class ImageBytes {
  private static final int CAPACITY_FIRST = 16 * 1024;

  /** First bytes of a file that determine its type. */
  private static final int SIGNATURE_BYTES = 12;

  private static final byte[] NONE = {};

  private final int bytesMax;
  private final LongPredicate room;
  private byte[] bytes = NONE;
  private int length;

  /** Reason to reject a downloaded image. */
  enum Flaw {
    TOO_LARGE,
    NO_ROOM,
    NO_IMAGE
  }

  /**
   * @param room reserves the given number of bytes in all; false if the budget has no room
   */
  ImageBytes(int bytesMax, LongPredicate room) {
    this.bytesMax = bytesMax;
    this.room = room;
  }

  int length() {
    return length;
  }

  /**
   * Adds bytes, which stay the caller's; reports a file that is no image from its first bytes on.
   */
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

  // Grows with the bytes received, never by a header's claim, which costs its sender nothing.
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
