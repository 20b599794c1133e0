package dev.tollgate.core.exchange;

import dev.tollgate.core.http.BodyLength;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects a provider's reply into one array under the in-flight budget. Ended exactly once.
 * Loop-confined.
 */
final class Collector {
  /** With its header, an array that doubles stays a power of two. */
  private static final int HEADER_BYTES = 16;

  private static final int UNCOUNTED_BYTES = 2 * 1024 - HEADER_BYTES;
  private static final byte[] NONE = {};
  private static final int FREE_BYTES = 64 * 1024;

  /** A length that is told is believed up to here: more is only made room for once it came. */
  private static final int BELIEVED_BYTES_MAX = 1024 * 1024;

  private final int bytesMax;
  private InflightBytes.@Nullable Permit permit;
  private byte[] bytes = NONE;
  private final int told;
  private int room;
  private int length;

  /** What became of more bytes. */
  enum Taken {
    ALL,
    /** The reply is larger than its limit. */
    TOO_LARGE,
    /** The process-wide budget has no room. */
    NO_ROOM
  }

  /**
   * @param room what the permit has already
   * @param told how long the reply is, where that is told: so that its array is not copied as it
   *     grows
   */
  Collector(int bytesMax, InflightBytes.Permit permit, int room, BodyLength told) {
    this.bytesMax = bytesMax;
    this.told =
        told instanceof BodyLength.Fixed fixed && fixed.bytes() <= BELIEVED_BYTES_MAX
            ? (int) fixed.bytes()
            : 0;
    this.permit = permit;
    this.room = room;
  }

  Taken take(ByteBuf more) {
    int total = length + more.readableBytes();
    if (total > bytesMax || total < 0) {
      return Taken.TOO_LARGE;
    }
    if (total > bytes.length) {
      int most = total <= room ? Math.min(bytesMax, room) : bytesMax;
      int capacity = (int) Math.min(most, enough(total));
      if (capacity > Math.max(UNCOUNTED_BYTES, room) && !grow(capacity)) {
        return Taken.NO_ROOM;
      }
      bytes = Arrays.copyOf(bytes, capacity);
    }
    int count = more.readableBytes();
    more.readBytes(bytes, length, count);
    length += count;
    return Taken.ALL;
  }

  /** What is not longer than it was told to be has one array. */
  private long enough(int total) {
    return total <= told ? told : Math.max(total, 2L * bytes.length + HEADER_BYTES);
  }

  private boolean grow(int capacity) {
    return permit != null && permit.resize(capacity);
  }

  /** All came: what it had beyond that is given back. */
  void complete() {
    if (room > bytes.length && permit != null) {
      permit.resize(bytes.length);
      room = 0;
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
  ByteBuf handOn(ByteBuf body) {
    InflightBytes.Permit held = permit;
    if (held == null || body.readableBytes() <= FREE_BYTES) {
      return body;
    }
    permit = null;
    held.resize(body.readableBytes()); // a little more may find no room: then what it had counts
    return CountedBody.of(body, held);
  }

  void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
