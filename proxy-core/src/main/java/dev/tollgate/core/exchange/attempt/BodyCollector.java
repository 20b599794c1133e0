package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.http.BodyLength;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects a provider's reply into one array under the in-flight budget. Ended exactly once.
 * Loop-confined.
 */
public final class BodyCollector {
  /** With its header, an array that doubles stays a power of two. */
  private static final int HEADER_BYTES = 16;

  private static final int UNCOUNTED_BYTES = 2 * 1024 - HEADER_BYTES;
  private static final byte[] NONE = {};
  private static final int FREE_BYTES = 64 * 1024;

  /** A length that is told is believed up to here: more is only made room for once it came. */
  private static final int PREALLOCATED_BYTES_MAX = 1024 * 1024;

  private final int bytesMax;
  private InflightBytes.@Nullable Permit permit;
  private byte[] bytes = NONE;
  private final int declaredBytes;
  private int reservedBytes;
  private int length;

  /** What became of more bytes. */
  enum TakeResult {
    ALL,
    /** The reply is larger than its limit. */
    TOO_LARGE,
    /** The process-wide budget has no room. */
    NO_ROOM
  }

  /**
   * @param reservedBytes what the permit has already
   * @param declaredLength how long the reply is, where that is told: so that its array is not
   *     copied as it grows
   */
  BodyCollector(
      int bytesMax, InflightBytes.Permit permit, int reservedBytes, BodyLength declaredLength) {
    this.bytesMax = bytesMax;
    this.declaredBytes =
        declaredLength instanceof BodyLength.Fixed fixed && fixed.bytes() <= PREALLOCATED_BYTES_MAX
            ? (int) fixed.bytes()
            : 0;
    this.permit = permit;
    this.reservedBytes = reservedBytes;
  }

  TakeResult take(ByteBuf more) {
    int total = length + more.readableBytes();
    if (total > bytesMax || total < 0) {
      return TakeResult.TOO_LARGE;
    }
    if (total > bytes.length) {
      int capacityMax = total <= reservedBytes ? Math.min(bytesMax, reservedBytes) : bytesMax;
      int capacity = (int) Math.min(capacityMax, capacityFor(total));
      if (capacity > Math.max(UNCOUNTED_BYTES, reservedBytes) && !grow(capacity)) {
        return TakeResult.NO_ROOM;
      }
      bytes = Arrays.copyOf(bytes, capacity);
    }
    int count = more.readableBytes();
    more.readBytes(bytes, length, count);
    length += count;
    return TakeResult.ALL;
  }

  /** What is not longer than it was told to be has one array. */
  private long capacityFor(int total) {
    return total <= declaredBytes
        ? declaredBytes
        : Math.max(total, 2L * bytes.length + HEADER_BYTES);
  }

  private boolean grow(int capacity) {
    return permit != null && permit.resize(capacity);
  }

  /** All came: what it had beyond that is given back. */
  void complete() {
    if (reservedBytes > bytes.length && permit != null) {
      permit.resize(bytes.length);
      reservedBytes = 0;
    }
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /**
   * Hands the place in the budget on to what was made of the bytes and now waits for its reader;
   * what the socket takes at once goes uncounted.
   */
  public ByteBuf transferPermit(ByteBuf body) {
    InflightBytes.Permit held = permit;
    if (held == null || body.readableBytes() <= FREE_BYTES) {
      return body;
    }
    permit = null;
    held.resize(body.readableBytes()); // a little more may find no room: then what it had counts
    return CountedBody.of(body, held);
  }

  public void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
