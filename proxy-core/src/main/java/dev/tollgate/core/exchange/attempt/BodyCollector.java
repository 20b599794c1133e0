package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.http.BodyLength;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collector of a provider's complete reply body into one array, counted in the in-flight byte
 * budget. Ended exactly once. Loop-confined.
 */
public final class BodyCollector {
  /** Size of an array's header: with it, an array that doubles stays a power of two. */
  private static final int HEADER_BYTES = 16;

  private static final int UNCOUNTED_BYTES = 2 * 1024 - HEADER_BYTES;
  private static final byte[] NONE = {};
  private static final int FREE_BYTES = 64 * 1024;

  /**
   * Largest declared length that is allocated at once; beyond it the array grows with the bytes.
   */
  private static final int PREALLOCATED_BYTES_MAX = 1024 * 1024;

  private final int bytesMax;
  private InflightBytes.@Nullable Permit permit;
  private byte[] bytes = NONE;
  private final int declaredBytes;
  private int reservedBytes;
  private int length;

  /** Result of taking more bytes. */
  enum TakeResult {
    ALL,
    /** The reply is larger than its limit. */
    TOO_LARGE,
    /** The process-wide budget has no room. */
    NO_ROOM
  }

  /**
   * @param reservedBytes what the permit holds already
   * @param declaredLength the reply's content length, if it has one: avoids copies of the array
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

  /** Returns the declared length for a reply that keeps to it, else grows by doubling. */
  private long capacityFor(int total) {
    return total <= declaredBytes
        ? declaredBytes
        : Math.max(total, 2L * bytes.length + HEADER_BYTES);
  }

  private boolean grow(int capacity) {
    return permit != null && permit.resize(capacity);
  }

  /** Shrinks the permit to the array, because the reply is complete. */
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
   * Moves the permit to the body that was made of the bytes and waits to be read by the client. A
   * small body, which the socket takes at once, is not counted.
   */
  public ByteBuf transferPermit(ByteBuf body) {
    InflightBytes.Permit held = permit;
    if (held == null || body.readableBytes() <= FREE_BYTES) {
      return body;
    }
    permit = null;
    held.resize(
        body.readableBytes()); // may fail for a slightly larger body: the old size counts then
    return CountedBody.of(body, held);
  }

  public void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
